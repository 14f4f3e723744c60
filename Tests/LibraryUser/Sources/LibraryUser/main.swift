import Harald

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// With an adapter as argument: the level of the battery of the first device that is heard. Otherwise the errors of
// adapters that are not there.
if CommandLine.arguments.count > 1 {
    try await withCentral(adapter: Adapter(CommandLine.arguments[1])) { central in
        for try await found in central.scan(duration: .seconds(10)) {
            let level = try await found.peripheral.withConnection {
                try await found.peripheral.characteristic("180F", "2A19").read()
            }
            return print("\(found.name ?? "?") says \(level[0]) %")
        }
        print("no device was heard")
        exit(1)
    }
} else {
    setenv("XDG_RUNTIME_DIR", "/nowhere", 1)
    for (adapter, text) in [("unix:/nowhere/hci", "/nowhere/hci"), ("virtual:", "VirtualBluetooth")] {
        do {
            _ = try await Central(adapter: Adapter(adapter))
            print("\(adapter) was opened")
            exit(1)
        } catch {
            print("\(adapter): \(error)")
            guard "\(error)".contains(text) else { exit(1) }
        }
    }
}
