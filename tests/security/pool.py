"""Keeps COUNT processes of a program behind one Unix socket, as systemd does: pool.py SOCKET COUNT PROGRAM [ARGUMENT...]

The listening socket stays when a process dies, and another takes its place. Standard output: "started PID" and "ended PID" lines.
Standard input: "INDEX SIGNAL" lines, a signal for the process of that place. This process is their parent, so a number
that the system has given to somebody else meanwhile is never meant. At the end of standard input all are ended. One that
gives up (exit status other than 0) ends the pool.
"""
import os
import signal
import socket
import sys
import threading

path, count, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(path)
os.chmod(path, 0o660)
listener.listen(512)
places = [None] * count
lock = threading.Lock()
ending = False


def say(*words):
    print(*words, flush=True)


def start(place):
    pid = os.fork()
    if pid == 0:
        os.dup2(listener.fileno(), 0)
        os.execvp(command[0], command)
    places[place] = pid
    say("started", pid)


def end_all():
    global ending
    with lock:
        ending = True
        for pid in places:
            if pid is not None:
                os.kill(pid, signal.SIGTERM)


def obey():
    for line in sys.stdin:
        place, number = map(int, line.split())
        with lock:
            if places[place] is not None:
                os.kill(places[place], number)
    end_all()


for place in range(count):
    start(place)
threading.Thread(target=obey, daemon=True).start()
status = 0
while any(pid is not None for pid in places):
    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # not taken away yet: its number is still its own
    with lock:
        os.waitpid(ended.si_pid, 0)
        place = places.index(ended.si_pid)
        places[place] = None
        say("ended", ended.si_pid)
        if ended.si_code == os.CLD_EXITED and ended.si_status != 0 and not ending:
            status = ending = 1
            for pid in places:
                if pid is not None:
                    os.kill(pid, signal.SIGTERM)
        if not ending:
            start(place)
sys.exit(status)
