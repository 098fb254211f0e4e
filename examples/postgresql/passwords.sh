#!/bin/sh
# Makes a password for each role of roles.sql: passwords.sh DIRECTORY [OWNER]
#
# Writes DIRECTORY/PROGRAM.pass, which libpq reads (passfile=DIRECTORY/{endpoint}.pass in the URI), and prints the statements for
# psql as a superuser of the server. The files of the endpoints belong to OWNER, the user of the web server; without it to the
# users of the systemd units (postern-token and so on). admin.pass, of the command, and sweep.pass belong to root.
set -eu

[ $# -ge 1 ] || { echo "usage: passwords.sh DIRECTORY [OWNER]" >&2; exit 2; }
directory=$1
owner=${2:-}
umask 077

for program in admin sweep authorize login scopes token introspect userinfo revoke logout account recover; do
    file=$directory/$program.pass
    [ ! -e "$file" ] || { echo "$file is there already" >&2; exit 1; }
    password=$(openssl rand -hex 24)
    echo "*:*:*:postern_$program:$password" >"$file"
    case $program in
    admin | sweep) ;;
    *) chown "${owner:-postern-$program}" "$file" ;;
    esac
    echo "ALTER ROLE postern_$program PASSWORD '$password';"
done
