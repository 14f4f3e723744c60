import Foundation
import Harald

/// Enters the number that is printed on the lock.
struct PrintedPasskey: PairingDelegate {
    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        if case .enterPasskey = question { .passkey(123456) } else { .refuse }
    }
}

// Pairs with a lock, reads a value that requires it, and lists and forgets the bond. Keys are stored in a directory of
// its own, because this is an example.
let directory = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
var options = AdapterOptions()
options.storage = .directory(directory.path)
try await withCentral(pairing: PrintedPasskey(), options: options) { central in
    for try await found in central.scan() where found.name == "Lock" {
        try await found.peripheral.withConnection {
            try await found.peripheral.pair(to: .authenticated)
            print("paired:", found.peripheral.security.level)
            print("value:", try await found.peripheral.characteristic("FFF0", "FFF1").read())
        }
        print("bonds:", await central.bonds.count)
        await found.peripheral.forgetBond()
        print("bonds:", await central.bonds.count)
        break
    }
}
