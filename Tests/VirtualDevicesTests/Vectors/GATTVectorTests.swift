import Foundation
import Testing

@testable import VirtualDevices

/// The stack's client and server against the public vectors of another implementation.
///
/// The vectors are not part of the project. `HARALD_GATT_VECTORS` is the path of the file `unit/test-gatt.c` of BlueZ;
/// its packets and databases are read from it, and the databases are built through device files.
@Suite struct GATTVectorTests {
    /// The known differences, and the section of the specification that decides them (Core 6.0, Vol 3).
    private static let deviations = [
        "/TP/GAD/CL/BV-02-C-2":
            "Part B, 2.5.1: a UUID on the Bluetooth base is the same in its short form, which is sent.",
        "/TP/GAD/CL/BV-03-C":
            "Part G, 4.5.1: the long UUIDs of included services are read; here after the list, there within it.",
        "/TP/GAR/CL/BV-04-C/512B":
            "Part F, 3.2.8: with an MTU of 512 a response has at most 512 octets; this one has 513, so the value is whole.",
        "/TP/GAR/CL/BV-07-C/512B":
            "Part F, 3.2.8: with an MTU of 512 a response has at most 512 octets; this one has 513, so the value is whole.",
        "/TP/GAW/CL/BI-18-C/auto":
            "Part F, 3.4.6.3: after a refused part the queue is cancelled before the write is tried again.",
        "/TP/GAW/SR/BV-03-C/small":
            "Part G, 3.3.1.1: without the property Write the value cannot be written with a request.",
        "/TP/GAW/SR/BV-08-C/small":
            "Part G, 3.3.3.3: a client characteristic configuration has two octets; three have the wrong length.",
        "/TP/GAW/SR/BV-09-C/small":
            "Part G, 3.3.3.3: a client characteristic configuration has two octets; nineteen have the wrong length.",
        "/robustness/no-reliable-characteristic":
            "Part F, 3.4.6.3: Request Not Supported is no answer to Execute Write; the server writes what it prepared.",
    ]

    @Test func packetsEqualTheVectors() throws {
        guard let path = ProcessInfo.processInfo.environment["HARALD_GATT_VECTORS"], !path.isEmpty else {
            print("HARALD_GATT_VECTORS is not set: the vectors of unit/test-gatt.c are not run.")
            return
        }
        let file = try GATTVectorFile(String(contentsOfFile: path, encoding: .utf8))
        var databases: [String: DeviceFile] = [:]
        for (name, entries) in file.databases {
            databases[name] = try DeviceFile(yaml: GATTVectorDatabase(entries, source: file.source).yaml, file: name)
        }
        var differences: [String: String] = [:]
        for vector in file.vectors {
            let run = try GATTVectorRun(vector, database: vector.database.flatMap { databases[$0] })
            run.run()
            differences[vector.name] = run.difference
        }
        let same = file.vectors.count - differences.count
        print("\(same) of \(file.vectors.count) vectors are the same byte for byte.")
        for (name, difference) in differences.sorted(by: { $0.key < $1.key }) {
            let reason = Self.deviations[name]
            print("  \(name): \(difference)" + (reason.map { "\n    \($0)" } ?? ""))
            #expect(reason != nil, "\(name): \(difference)")
        }
        #expect(same >= 183)
        #expect(file.vectors.count >= 193)
    }
}
