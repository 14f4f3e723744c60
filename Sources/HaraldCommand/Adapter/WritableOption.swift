import Harald
import VirtualDevices

extension [SceneDevice] {
    /// Makes a characteristic writable in every device that has it.
    /// - Throws: ``ProgramError`` if the name is unknown or no device has the characteristic.
    mutating func makeWritable(_ name: String) throws {
        let uuids = ServiceName.uuids(name, .characteristic)
        guard !uuids.isEmpty else { throw ServiceName.unknown(name, .characteristic) }
        var isThere = false
        for index in indices where self[index].device.makeWritable(uuids) { isThere = true }
        if !isThere {
            throw ProgramError(.notFound, "no simulated device has the characteristic '\(name)' of --writable")
        }
    }
}
