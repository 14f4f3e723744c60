import Foundation
import Harald

/// The addresses of simulated devices that do not name one: random static ones that come of their names, so that a
/// device that is started again is the same device for those who knew it.
///
/// Of several devices of one name, here or in another program of the user's, each has an address of its own: whoever
/// uses one holds the lock on a file that is named after it.
final class SimulatedAddresses {
    private let directory: String
    private var locks: [Int32] = []

    /// - Parameter directory: where the files are; the user's own.
    init(directory: String) { self.directory = directory }

    deinit {
        for lock in locks {
            // A child that is just being started has the file too, for a moment, and closing alone would leave it locked.
            flock(lock, LOCK_UN)
            close(lock)
        }
    }

    /// An address that nobody uses.
    func address(for name: String) -> BluetoothAddress {
        var count = 1
        while true {
            let address = Self.address(of: count == 1 ? name : "\(name) \(count)")
            if take(address) { return address }
            count += 1
        }
    }

    /// The same text always gives the same address (FNV-1a, 64 bits, of which 46 are used).
    static func address(of text: String) -> BluetoothAddress {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return BluetoothAddress(value: (hash ^ hash >> 46) & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, kind: .random)
    }

    /// False where somebody has it. Where no file can be made, nobody can tell.
    private func take(_ address: BluetoothAddress) -> Bool {
        let file = open(directory + "/\(address.text).lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { return true }
        if flock(file, LOCK_EX | LOCK_NB) == 0 {
            locks.append(file)
            return true
        }
        close(file)
        return false
    }
}
