"""Lets a test call a program's functions: a JSON object a line comes in, {"result": ...} or {"error": ...} goes out."""
import json
import sys


def serve(functions):
    for line in sys.stdin:
        call = json.loads(line)
        try:
            answer = {"result": functions[call["call"]](**call["parameters"])}
        except Exception as error:  # whatever a library raises is what the test wants to know
            answer = {"error": getattr(error, "error", None) or type(error).__name__, "message": str(error)}
        print(json.dumps(answer), flush=True)
