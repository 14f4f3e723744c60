import Foundation
import Harald

// Prints each heart rate as a line of JSON, and goes on after a lost link: a service for systemd, or the beginning of a
// pipe. `swift run HeartRateGateway COUNT` ends after so many values.
struct Line: Encodable {
    var time = Date()
    let device: String
    let value: [UInt8]
}

let limit = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
let encoder = JSONEncoder()
encoder.dateEncodingStrategy = .iso8601
encoder.outputFormatting = .sortedKeys
do {
    try await withCentral { central in
        for try await found in central.scan(for: ["180D"]) {
            var count = 0
            try await found.peripheral.withConnection(reconnect: .always) {
                for try await value in try await found.peripheral.characteristic("2A37").notifications() {
                    let line = Line(device: found.name ?? "-", value: value)
                    print(String(decoding: try encoder.encode(line), as: UTF8.self))
                    fflush(nil)
                    count += 1
                    if count == limit { break }
                }
            }
            break
        }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
