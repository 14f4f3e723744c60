import BluetoothModel
import BluetoothProfiles
import Foundation
import Harald

/// Decodes advertisements again and again.
enum DecodeBench {
    /// - Parameters:
    ///   - path: a file with an advertisement in hexadecimal on each line.
    ///   - seconds: the time to run.
    static func run(path: String, seconds: Int) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let frames = text.split(separator: "\n").compactMap { [UInt8](hexDigits: $0) }
        guard !frames.isEmpty else { throw BenchFailure("\(path) has no advertisement", status: 64) }
        let address = BluetoothAddress("A4:C1:38:12:34:56")
        var decoder = AdvertisedValueDecoder()
        var (count, fields) = (0, 0)
        let (mark, start) = (Usage.now, ContinuousClock.now)
        while ContinuousClock.now - start < .seconds(seconds) {
            for bytes in frames {
                for value in decoder.values(in: AdvertisingData(parsing: bytes), from: address) {
                    fields += value.fields.count
                }
            }
            count += frames.count
        }
        let usage = Usage.now - mark
        let microseconds = Double(usage.user + usage.system) / Double(count)
        print(
            "harald n=\(count) rate=\(Int(1e6 / microseconds))/s cpu_us=\(fixed(microseconds))",
            "fields=\(fixed(Double(fields) / Double(count)))")
    }
}
