#!/usr/bin/env bash
# postgres.sh [OPTIONS OF postgres]: runs a PostgreSQL server on a Unix socket in a directory of its own until the input
# ends. Prints {"event":"ready","directory":...} when it accepts connections. Commands, one per line: 'kill' ends all
# its processes with SIGKILL and starts it again; 'restart' stops and starts it. The user is harald, without a password.
#
# postgres.sh --tls [OPTIONS OF postgres]: listens on 127.0.0.1 too, with a certificate for db.test of an authority that
# it creates; 'ready' also has the port, the authority's certificate ("root") and that of another one ("other").
#
#   HARALD_POSTGRES   the directory of the server's programs (by default that of the latest version of Debian)
set -euo pipefail
programs=${HARALD_POSTGRES:-$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)}
# The path of a Unix socket has at most 107 octets, so the directory is not in TMPDIR.
directory=$(mktemp -d /tmp/harald-pg.XXXXXX)
server=
tls=
if [ "${1-}" = --tls ]; then
    tls=1
    shift
fi
options=("$@")
network=(-c listen_addresses=)

# PostgreSQL does not run as root.
unprivileged=()
if [ "$(id -u)" = 0 ]; then
    chown nobody "$directory"
    unprivileged=(setpriv --reuid=nobody --regid=nogroup --clear-groups --)
fi

# authority NAME: creates a key and a certificate that signs itself.
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=$1" \
        -keyout "$directory/$1.key" -out "$directory/$1.crt"
}

certificates() {
    authority root
    authority other
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=db.test \
        -keyout "$directory/server.key" -out "$directory/server.csr"
    openssl x509 -req -in "$directory/server.csr" -CA "$directory/root.crt" -CAkey "$directory/root.key" \
        -CAcreateserial -days 30 -extfile <(echo subjectAltName=DNS:db.test) -out "$directory/server.crt"
    chmod 600 "$directory/server.key"
    [ "$(id -u)" != 0 ] || chown nobody "$directory"/server.*
}

start() {
    if [ -n "$tls" ]; then
        # Also the number of the Unix socket.
        export PGPORT=$((RANDOM % 20000 + 10000))
        network=(-c listen_addresses=127.0.0.1 -c ssl=on -c "ssl_cert_file=$directory/server.crt"
            -c "ssl_key_file=$directory/server.key")
    fi
    (
        cd "$directory"
        exec "${unprivileged[@]}" "$programs/postgres" -D "$directory/data" -k "$directory" "${network[@]}" \
            -c max_connections=500 -c shared_buffers=64MB "${options[@]}" </dev/null >>"$directory/log" 2>&1
    ) &
    server=$!
    for _ in $(seq 1200); do
        if "$programs/pg_isready" -q -h "$directory"; then
            local more=
            [ -z "$tls" ] ||
                more=",\"port\":$PGPORT,\"root\":\"$directory/root.crt\",\"other\":\"$directory/other.crt\""
            echo "{\"event\":\"ready\",\"directory\":\"$directory\"$more}"
            return
        fi
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    tail -5 "$directory/log" >&2
    return 1
}

stop() {
    [ -z "$server" ] || kill -"$1" "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
}

finish() {
    stop QUIT
    rm -rf "$directory"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

(cd "$directory" && "${unprivileged[@]}" "$programs/initdb" -D "$directory/data" -U harald --auth=trust -E UTF8 \
    --no-locale --no-sync >"$directory/initdb.log" 2>&1) || { cat "$directory/initdb.log" >&2; exit 1; }
if [ -n "$tls" ]; then
    certificates >"$directory/openssl.log" 2>&1 || { cat "$directory/openssl.log" >&2; exit 1; }
    # The port may be in use.
    start || start || start
else
    start
fi
while read -r command; do
    case $command in
        kill)
            pkill -KILL -P "$server" || true
            stop KILL
            # A new server refuses to start until all processes of the old one have ended.
            for _ in $(seq 50); do start && break; sleep 0.1; done
            ;;
        restart) stop INT && start ;;
        *) echo "unknown command $command" >&2 ;;
    esac
done
