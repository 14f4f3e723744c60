import Foundation
import Harald

/// Assigns random static addresses to simulated devices that do not specify one. An address is derived from the
/// device's name, so that peers recognise a device after a restart.
///
/// Several devices with the same name, in this program or in other programs of the user, get different addresses: an
/// address in use is marked by the lock on a file named after it.
final class SimulatedAddresses {
    private let directory: String
    private var locks: [Int32] = []

    /// - Parameter directory: the directory of the lock files, private to the user.
    init(directory: String) { self.directory = directory }

    deinit {
        for lock in locks {
            // A child process that is being started briefly shares the descriptor, so closing it would not release the
            // lock.
            flock(lock, LOCK_UN)
            close(lock)
        }
    }

    /// Returns an unused address for a device with this name.
    func address(for name: String) -> BluetoothAddress {
        var count = 1
        while true {
            let address = Self.address(of: count == 1 ? name : "\(name) \(count)")
            if take(address) { return address }
            count += 1
        }
    }

    /// Returns the address derived from `text` (FNV-1a, 64 bits, of which 46 are used).
    static func address(of text: String) -> BluetoothAddress {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return BluetoothAddress(value: (hash ^ hash >> 46) & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, kind: .random)
    }

    /// Locks an address. Returns false if it is in use. If no lock file can be created, uses are not detected.
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
