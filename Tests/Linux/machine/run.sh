#!/usr/bin/env bash
# run.sh HOME EXCHANGE SECONDS COMMAND: boots the machine of prepare.sh, runs COMMAND in it with bash, prints its
# output, and ends with its status; 125 if the machine did not start, 124 if it started but returned no status in time.
# /exchange in the machine is EXCHANGE here; all other files that it writes are lost. EXCHANGE/pid has the process
# identifier of QEMU. Environment variables:
#
#   CONTROLLERS   Unix sockets, separated by spaces: /dev/hvc0, /dev/hvc1 and so on in the machine
#   INIT=systemd  starts systemd as the first process
#   DISK          an image of a disk: /dev/vda in the machine
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=$1 exchange=$2 seconds=$3
mkdir -p "$exchange"
rm -f "$exchange"/{status,said,up}
# The time limit for booting, in seconds.
patience=${HARALD_LINUX_BOOT:-180}
printf '%s\n' "$4" >"$exchange/command"

speed="-accel tcg,thread=multi -cpu max"
if [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo; then speed="-accel kvm -cpu host"; fi
share() { # TAG PATH OPTIONS
    echo "-fsdev local,id=$1,path=$2,security_model=none,multidevs=remap$3 -device virtio-9p-pci,fsdev=$1,mount_tag=$1"
}
disk=()
if [ -n "${DISK:-}" ]; then disk=(-drive "file=$DISK,if=none,id=disk,format=raw" -device virtio-blk-pci,drive=disk); fi
controllers=()
for socket in ${CONTROLLERS:-}; do
    name=hvc$((${#controllers[@]} / 4))
    controllers+=(-chardev "socket,id=$name,path=$socket,server=off" -device "virtconsole,chardev=$name")
done
: >"$exchange/said"
parameters="machine.home=$home machine.second=$here/second${INIT:+ machine.$INIT}"
# shellcheck disable=SC2046,SC2086
timeout -k 5 "$seconds" qemu-system-x86_64 -M q35 $speed -smp 2 -m 2048 -nodefaults -no-user-config -display none \
    -no-reboot -monitor none -kernel "$home/vmlinuz" -initrd "$home/first.gz" \
    -append "console=ttyS0 quiet panic=-1 mitigations=off cryptomgr.notests=1 $parameters" \
    -chardev "file,id=console,path=$exchange/console.log" -serial chardev:console \
    -device virtio-serial-pci "${controllers[@]}" \
    -chardev "file,id=said,path=$exchange/said" -device virtserialport,chardev=said,name=said \
    -device virtio-rng-pci "${disk[@]}" -pidfile "$exchange/pid" \
    $(share host / ,readonly=on) $(share tools "$home/tools" ,readonly=on) $(share exchange "$exchange" "") \
    </dev/null >"$exchange/qemu.log" 2>&1 &
machine=$!
trap 'kill $machine 2>/dev/null' INT TERM
{
    while [ $SECONDS -lt "$patience" ] && [ ! -e "$exchange/up" ] && kill -0 $machine 2>/dev/null; do sleep 1; done
    [ -e "$exchange/up" ] || kill $machine 2>/dev/null
} &
tail -n +1 -f --pid=$machine -s 0.2 "$exchange/said" 2>/dev/null
wait $machine
if [ -s "$exchange/status" ]; then exit "$(cat "$exchange/status")"; fi
if [ -e "$exchange/up" ]; then
    echo "The machine gave no status in $seconds s." >&2
    exit 124
fi
echo "The machine did not start in $patience s; the last lines of its console:" >&2
tail -n 5 "$exchange/console.log" "$exchange/qemu.log" >&2
exit 125
