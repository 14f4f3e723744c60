#!/usr/bin/env bash
# prepare.sh DIRECTORY: creates the files of a machine with Debian's kernel and BlueZ in DIRECTORY; once, a minute.
# Fails with a line that names the missing requirement.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
cd "$1"

stamp=$(cat "$here"/prepare.sh "$here"/first | cksum)
if [ "$(cat prepared 2>/dev/null)" = "$stamp" ]; then exit 0; fi

stop() {
    echo "$*" >&2
    exit 1
}
command -v apt-get >/dev/null || stop "the machine is made of Debian's packages, and there is no apt-get"
[ "$(uname -m)" = x86_64 ] || stop "the machine is an x86-64 one, and this is $(uname -m)"
if [ "$(id -u)" = 0 ] && ! apt-cache show linux-image-amd64 bluez >/dev/null 2>&1; then
    apt-get update -q >update.log 2>&1 || stop "the lists of packages cannot be had; see $PWD/update.log"
fi
if ! command -v qemu-system-x86_64 >/dev/null; then
    [ "$(id -u)" = 0 ] || stop "there is no QEMU: apt-get install qemu-system-x86"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends qemu-system-x86 \
        >qemu-install.log 2>&1 ||
        stop "QEMU cannot be installed; see $PWD/qemu-install.log"
fi

kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
[ -n "$kernel" ] || stop "apt knows no Debian kernel; run apt-get update"
mkdir -p packages
rm -f packages/*.deb
(cd packages && apt-get download -q "$kernel" bluez bluez-test-tools dbus kmod busybox-static udev) \
    >download.log 2>&1 ||
    stop "the packages cannot be downloaded; see $PWD/download.log"

# Unpacked, not installed: the kernel in one tree, the rest in another, which is mounted over this machine's root.
rm -rf kernel tools
for package in packages/*.deb; do
    case $package in
        *linux-image*) dpkg-deb -x "$package" kernel ;;
        *) dpkg-deb -x "$package" tools ;;
    esac
done
for directory in bin sbin lib; do
    # On a current root these are links into /usr.
    if [ -d "tools/$directory" ] && [ ! -L "tools/$directory" ]; then
        mkdir -p "tools/usr/$directory"
        cp -a "tools/$directory/." "tools/usr/$directory/"
        rm -rf "tools/${directory:?}"
    fi
done
for name in depmod modprobe insmod lsmod; do ln -sf /usr/bin/kmod "tools/usr/sbin/$name"; done
mkdir -p tools/usr/lib/modules
release=$(ls kernel/lib/modules)
kmod() { (exec -a "$1" tools/usr/bin/kmod "${@:2}"); }
kmod depmod -b "$PWD/kernel" "$release"

# Required by the kernel before it can access this machine's files.
rm -rf first
mkdir -p first/{bin,modules,proc,sys,dev,host,tools,writes,root}
cp tools/usr/bin/busybox first/bin/
cp "$here/first" first/init
chmod +x first/init
number=10
for module in virtio_pci virtio_console virtio_rng 9p 9pnet_virtio overlay; do
    kmod modprobe -d "$PWD/kernel" -S "$release" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r file; do
    cp "$file" "first/modules/$number-$(basename "$file")"
    number=$((number + 1))
done
(cd first && find . | ../tools/usr/bin/busybox cpio -o -H newc 2>/dev/null) | gzip -1 >first.gz
cp "kernel/boot/vmlinuz-$release" vmlinuz
echo "$stamp" >prepared
