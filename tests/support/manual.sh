# What the commands of the manual find when a test types them: one user instead of root and www-data, everything below
# $ROOT, and somebody who edits files and answers questions. Every other command is the real one.

sudo() {
    if [ "$1" = -u ]; then shift 2; fi
    "$@"
}

# The tree is built already; `make install` installs it below $ROOT.
make() {
    [ "$*" = "" ] || command make -s -o all BUILD="$POSTERN_BUILD" DESTDIR="$ROOT" "$@"
}

# Somebody who knows the issuer, has a certificate, and knows the places that are this test's.
editor() {
    case $1 in
    */postern.json)
        sed -i -e "s#\"issuer\": \"[^\"]*\"#\"issuer\": \"https://id.example.org\"#" -e "s#\"/var/lib#\"$ROOT/var/lib#" \
            -e "0,/{/s##{ \"templates\": \"$ROOT/usr/local/share/postern/templates\",#" "$1" ;;
    */lighttpd.conf)
        mkdir -p "$ROOT/tls"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=id.example.org \
            -keyout "$ROOT/tls/privkey.pem" -out "$ROOT/tls/fullchain.pem" 2>/dev/null
        sed -i -e "s#/etc/letsencrypt/live/[^/]*#$ROOT/tls#" -e "s#\"/usr/local/#\"$ROOT/usr/local/#" \
            -e "s#\"/etc/postern/#\"$ROOT/etc/postern/#" "$1" ;;
    *) return 1 ;;
    esac
}

# Where a terminal would be asked for a password, it is answered.
postern() {
    case "$1 $2 $*" in
    *stdin*) command postern "$@" ;;
    "user add "* | "user passwd "*) printf 'correct horse battery staple\n' | command postern "$@" --password-stdin ;;
    *) command postern "$@" ;;
    esac
}

# The programs and what was copied are there, nothing else.
a_new_machine() {
    mv "$ROOT/var/lib/postern" "$(mktemp -d "$ROOT/old.XXXXXX")"
}

# The request id of something that was refused just now.
a_request_id() {
    REQUEST_METHOD=GET REQUEST_URI=/authorize?client_id=unknown QUERY_STRING=client_id=unknown \
        SERVER_PROTOCOL=HTTP/1.1 REMOTE_ADDR=192.0.2.1 "$ROOT/usr/local/lib/postern/cgi-bin/authorize" </dev/null |
        sed -n 's/^X-Request-Id: *\([a-z0-9]*\).*/\1/p'
}

# A key that no longer signs.
a_retired_key() {
    command postern key list | awk '$3 == "retired" { print $1; exit }'
}
