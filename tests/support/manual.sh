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

a_certificate() {
    mkdir -p "$ROOT/tls"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=id.example.org \
        -keyout "$ROOT/tls/privkey.pem" -out "$ROOT/tls/fullchain.pem" 2>/dev/null
}

# Somebody who knows the issuer, has a certificate, and knows the places that are this test's. Sites and
# pushed requests are for later chapters.
editor() {
    case $1 in
    */postern.json)
        sed -i -e "s#\"issuer\": \"[^\"]*\"#\"issuer\": \"https://id.example.org\"#" -e "s#\"/var/lib#\"$ROOT/var/lib#" \
            -e "0,/{/s##{ \"templates\": \"$ROOT/usr/local/share/postern/templates\", \"paths\": { \"gate\": \"/gate\", \"par\": \"/par\" },#" "$1" ;;
    */sites-available/*.conf)
        a_certificate
        sed -i -e "s#/etc/letsencrypt/live/[^/]*#$ROOT/tls#" -e "s# /usr/local/# $ROOT/usr/local/#" \
            -e "s# /etc/postern/# $ROOT/etc/postern/#" -e "s#/var/www#$ROOT/var/www#" "$1" ;;
    */sites-enabled/*.conf)
        a_certificate
        # nginx tries its listeners; the first ports belong to root.
        sed -i -e "s#/etc/letsencrypt/live/[^/]*#$ROOT/tls#" -e "s#listen 80;#listen unix:$ROOT/tmp/80;#" \
            -e "s#listen 443 ssl;#listen unix:$ROOT/tmp/443 ssl;#" "$1" ;;
    */lighttpd.conf)
        a_certificate
        sed -i -e "s#/etc/letsencrypt/live/[^/]*#$ROOT/tls#" -e "s#\"/usr/local/#\"$ROOT/usr/local/#" \
            -e "s#\"/etc/postern/#\"$ROOT/etc/postern/#" "$1" ;;
    *) return 1 ;;
    esac
}

# Apache's and nginx's own judgement, of configurations below $ROOT: Debian's main ones include what is enabled.
apache() {
    {
        printf 'ServerRoot "%s/etc/apache2"\nDefaultRuntimeDir "%s/tmp"\nErrorLog "%s/tmp/apache.log"\nServerName localhost\n' "$ROOT" "$ROOT" "$ROOT"
        printf '%s\n' mpm_event authn_core authz_core alias dir env mime setenvif | cat - "$ROOT/etc/apache2/enabled" | sort -u |
            sed 's#.*#LoadModule &_module /usr/lib/apache2/modules/mod_&.so#'
        echo 'Include sites-enabled/*.conf'
    } >"$ROOT/etc/apache2/apache2.conf"
    apache2 -f "$ROOT/etc/apache2/apache2.conf" "$@"
}

a2enmod() {
    for name in "$@"; do
        # Debian says there which others a module needs.
        sed -n 's/^# Depends: *//p' "/etc/apache2/mods-available/$name.load" | tr ' ' '\n' >>"$ROOT/etc/apache2/enabled" || return 1
        echo "$name" >>"$ROOT/etc/apache2/enabled"
    done
}

a2ensite() {
    ln -sf "../sites-available/$1.conf" "$ROOT/etc/apache2/sites-enabled/$1.conf"
}

apachectl() {
    [ "$1" = configtest ] && apache -t
}

nginx() {
    [ "$*" = -t ] || return 1
    {
        printf 'pid %s/tmp/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n' "$ROOT"
        for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $ROOT/tmp/nginx-$kind;"; done
        echo 'include sites-enabled/*; }'
    } >"$ROOT/etc/nginx/nginx.conf"
    command nginx -t -q -c "$ROOT/etc/nginx/nginx.conf" -e "$ROOT/tmp/nginx.log" || { cat "$ROOT/tmp/nginx.log" >&2; return 1; }
}

# Its processes are this test's, and so are its sockets.
trap 'if command -v postern-fcgi >/dev/null && [ -d "$ROOT/run/postern" ]; then postern-fcgi stop; fi' EXIT
postern-fcgi() {
    POSTERN_DEFAULTS=/dev/null POSTERN_SOCKETS="$ROOT/run/postern" POSTERN_CGI_BIN="$ROOT/usr/local/lib/postern/cgi-bin" \
        POSTERN_USER="$(id -un)" POSTERN_GROUP="$(id -gn)" command postern-fcgi "$@"
}

# Where a terminal would be asked for a password, it is answered.
postern() {
    case "$1 $2 $*" in
    *stdin*) command postern "$@" ;;
    # Nobody serves the issuer here, which must be what is found.
    "doctor --url "*) command postern "$@" >"$ROOT/found" || grep "^error  *connection: https://id.example.org/" "$ROOT/found" ;;
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
