#!/usr/bin/env bash
# install.sh install|uninstall BINARY PREFIX: installs the program, completions for bash, zsh and fish and, as root on
# Linux, a udev rule, a systemd unit and its user; or removes them. $DESTDIR is prepended to every path, for packaging.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
what=$1 binary=$2 prefix=$3
root=${DESTDIR:-}

program=$prefix/bin/harald
bash=$prefix/share/bash-completion/completions/harald
zsh=$prefix/share/zsh/site-functions/_harald
fish=$prefix/share/fish/vendor_completions.d/harald.fish
rule=/etc/udev/rules.d/60-harald.rules
unit=/etc/systemd/system/harald@.service
user=/etc/sysusers.d/harald.conf

system=no
if [ "$(uname -s)" = Linux ] && { [ "$(id -u)" = 0 ] || [ -n "$root" ]; }; then system=yes; fi

if [ "$what" = uninstall ]; then
    rm -f "$root$program" "$root$bash" "$root$zsh" "$root$fish"
    # Directories of the completions are removed if they are empty.
    for directory in bash-completion/completions bash-completion zsh/site-functions zsh \
        fish/vendor_completions.d fish; do
        rmdir "$root$prefix/share/$directory" 2>/dev/null || true
    done
    if [ $system = yes ]; then rm -f "$root$rule" "$root$unit" "$root$user"; fi
    exit
fi

install -D -m 755 "$binary" "$root$program"
for shell in bash zsh fish; do
    file=$(mktemp)
    "$binary" --generate-completion-script $shell >"$file"
    install -D -m 644 "$file" "$root${!shell}"
    rm -f "$file"
done
echo "Installed $root$program and completions for bash, zsh and fish under $root$prefix/share."
if [ $system = yes ]; then
    install -D -m 644 Packaging/60-harald.rules "$root$rule"
    file=$(mktemp)
    sed "s|@BINARY@|$program|" Packaging/harald@.service.in >"$file"
    install -D -m 644 "$file" "$root$unit"
    rm -f "$file"
    install -D -m 644 Packaging/harald.sysusers "$root$user"
    # For a package this is done at its installation.
    if [ -z "$root" ] && command -v systemd-sysusers >/dev/null; then systemd-sysusers "$user"; fi
    echo "Installed $root$rule, $root$unit and $root$user."
    echo "They take effect after: udevadm control --reload; systemctl daemon-reload"
else
    echo "As root it also installs a udev rule and a systemd unit (sudo make install PREFIX=/usr/local)."
fi
