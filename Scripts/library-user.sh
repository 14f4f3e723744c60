#!/usr/bin/env bash
# Builds and runs Tests/LibraryUser, a package that depends on this one by address and version and uses its libraries
# only. Fails if SwiftPM fetched a package that is not listed in fetched-packages.txt: users of the libraries must not
# fetch dependencies of the programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

user=Tests/LibraryUser
scratch=.build/library-user
mkdir -p "$scratch"

# A release of these files, committed or not: a repository with a tag. It needs no repository here.
release=$PWD/.build/release-of-files/harald.git
[ -d "$release" ] || git init --quiet --bare "$release"
files() { git --git-dir="$release" --work-tree=. -c user.name=Harald -c user.email=harald@localhost "$@"; }
files add --all
tree=$(files write-tree)
export HARALD_URL=$release HARALD_VERSION=0.9.0-tree.$tree
files tag --force "$HARALD_VERSION" "$(files commit-tree -m "$HARALD_VERSION" "$tree")" >/dev/null

# Packages fetched for an earlier manifest would falsify the result.
if ! cat Package.swift "$user/Package.swift" | cmp -s - "$scratch/manifests"; then
    rm -rf "$scratch"/{repositories,checkouts,workspace-state.json,manifests}
fi
rm -f "$user/Package.resolved"

if [ ! -e "$scratch/debug/LibraryUser" ]; then
    echo "Building a package that uses only Harald (about four minutes on two cores the first time)."
fi
log=.build/library-user.log
if ! swift build --package-path "$user" --scratch-path "$scratch" >"$log" 2>&1; then
    grep -E 'error|warning: unable' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
    echo "The package that uses only Harald does not build; the output is in $log." >&2
    exit 1
fi
cat Package.swift "$user/Package.swift" >"$scratch/manifests"

# Names of clones end in a dash and a digest.
fetched=$({
    find "$scratch/checkouts" -mindepth 1 -maxdepth 1 -printf '%f\n'
    find "$scratch/repositories" -mindepth 1 -maxdepth 1 -printf '%f\n' | sed 's/-[0-9a-f]*$//'
} | sort -u)
extra=$(comm -23 <(echo "$fetched") <(sort -u "$user/fetched-packages.txt"))
if [ -n "$extra" ]; then
    echo "A user of the library Harald fetches unneeded packages: ${extra//$'\n'/, }." >&2
    echo "Move them behind the trait Programs in Package.swift, or add them to $user/fetched-packages.txt." >&2
    exit 1
fi

# A program that simulates nothing links no simulator. A debug build shows all that is linked: nothing is stripped.
simulatorSymbols() { nm "$scratch/debug/$1" | grep -c 16VirtualBluetooth || true; }
for program in LibraryUser CoreBluetoothUser; do
    [ -e "$scratch/debug/$program" ] || continue
    if [ "$(simulatorSymbols $program)" != 0 ]; then
        echo "$program, which uses no virtual radio, links the module VirtualBluetooth." >&2
        exit 1
    fi
done
if [ "$(simulatorSymbols RadioUser)" = 0 ]; then
    echo "RadioUser shows no symbol of the module VirtualBluetooth: this test would not notice it elsewhere." >&2
    exit 1
fi

timeout 120 "$scratch/debug/LibraryUser"
timeout 120 "$scratch/debug/RadioUser"
timeout 120 "$scratch/debug/DeviceUser"
if [ "$(uname)" = Linux ]; then timeout 120 "$scratch/debug/CoreBluetoothUser"; fi
echo "A package that uses only Harald was built and run; it fetched ${fetched//$'\n'/, }."
