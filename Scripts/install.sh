#!/usr/bin/env bash
# install.sh install|uninstall BINARY PREFIX: installs the program, completions for bash, zsh and fish and, as root on
# Linux, a udev rule, a policy for D-Bus, systemd units, their configuration and their user; or removes them, except the
# configuration.
# $DESTDIR is prepended to every path, for packaging.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
what=$1 binary=$2 prefix=$3
root=${DESTDIR:-}

program=$prefix/bin/harald
bash=$prefix/share/bash-completion/completions/harald
zsh=$prefix/share/zsh/site-functions/_harald
fish=$prefix/share/fish/vendor_completions.d/harald.fish
# A package installs what the system's administrator may override elsewhere.
etc=/etc dbus=/etc/dbus-1
if [ -n "$root" ]; then etc=/usr/lib dbus=/usr/share/dbus-1; fi
rule=$etc/udev/rules.d/60-harald.rules
policy=$dbus/system.d/harald-bluez.conf
units=$etc/systemd/system
user=$etc/sysusers.d/harald.conf

unit() { # NAME FILE ABOUT DESCRIPTION MANUAL COMMAND: prints a unit
    sed -e "s|@NAME@|$1|; s|@ABOUT@|$3|; s|@DESCRIPTION@|$4|; s|@MANUAL@|$5|; s|@BINARY@|$program|; s|@COMMAND@|$6|" \
        Packaging/harald.service.in >"$2"
}

system=no
if [ "$(uname -s)" = Linux ] && { [ "$(id -u)" = 0 ] || [ -n "$root" ]; }; then system=yes; fi

if [ "$what" = uninstall ]; then
    rm -f "$root$program" "$root$bash" "$root$zsh" "$root$fish"
    # Directories of the completions are removed if they are empty.
    for directory in bash-completion/completions bash-completion zsh/site-functions zsh \
        fish/vendor_completions.d fish; do
        rmdir "$root$prefix/share/$directory" 2>/dev/null || true
    done
    if [ $system = yes ]; then
        rm -f "$root$rule" "$root$policy" "$root$units"/harald{@,-serve,-hub}.service "$root$user"
    fi
    exit
fi

install -D -m 755 "$binary" "$root$program"
for shell in bash zsh fish; do
    file=$(mktemp)
    # It is no program, which its first line would say.
    "$binary" --generate-completion-script $shell | sed '1{/^#!/d}' >"$file"
    install -D -m 644 "$file" "$root${!shell}"
    rm -f "$file"
done
echo "Installed $root$program and completions for bash, zsh and fish under $root$prefix/share."
if [ $system = yes ]; then
    install -D -m 644 Packaging/60-harald.rules "$root$rule"
    install -D -m 644 Packaging/harald-bluez.conf "$root$policy"
    folder=$(mktemp -d)
    unit '%i' "$folder/harald@.service" \
        'A command of harald: /etc/harald/NAME.conf has the line ARGUMENTS=..., and harald@NAME runs it.' \
        'harald: %i' harald ''
    unit serve "$folder/harald-serve.service" 'The options are in /etc/harald/serve.conf.' \
        'Bluetooth explorer of harald' harald-serve 'serve '
    unit hub "$folder/harald-hub.service" 'The options are in /etc/harald/hub.conf.' \
        'Health hub of harald' harald-hub 'hub serve '
    install -D -m 644 -t "$root$units" "$folder"/*.service
    rm -rf "$folder"
    for file in serve hub; do
        [ -e "$root/etc/harald/$file.conf" ] || install -D -m 644 Packaging/$file.conf "$root/etc/harald/$file.conf"
    done
    install -D -m 644 Packaging/harald.sysusers "$root$user"
    # For a package this is done at its installation.
    if [ -z "$root" ] && command -v systemd-sysusers >/dev/null; then systemd-sysusers "$user"; fi
    echo "Installed $root$rule, $root$policy, $root$user,"
    echo "and the units harald-serve, harald-hub and harald@ in $root$units."
    echo "They take effect after: udevadm control --reload; systemctl daemon-reload"
else
    echo "As root it also installs a udev rule and systemd units (sudo make install PREFIX=/usr/local)."
fi
