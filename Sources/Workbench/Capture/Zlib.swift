#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct ZlibError: Error, Hashable, CustomStringConvertible {
    let description: String
}

/// The system's zlib, which is opened when it is needed.
enum Zlib {
    private typealias Uncompress =
        @convention(c) (
            UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt>?, UnsafePointer<UInt8>?, UInt
        ) -> Int32

    private static let names = ["libz.so.1", "libz.so", "libz.1.dylib"]

    /// Decompresses data in the format of zlib (RFC 1950) of at most `limit` bytes.
    /// - Throws: ``ZlibError`` if zlib is missing, the data is damaged, or there is more of it.
    static func inflate(_ data: [UInt8], limit: Int) throws(ZlibError) -> [UInt8] {
        let library = names.lazy.compactMap { dlopen($0, RTLD_NOW) }.first
        guard let library, let symbol = dlsym(library, "uncompress") else {
            throw ZlibError(description: "zlib is needed to read the packets of a bug report; install zlib1g")
        }
        // `uncompress` of zlib.h: (Bytef *, uLongf *, const Bytef *, uLong), unchanged since its first version.
        let uncompress = unsafeBitCast(symbol, to: Uncompress.self)
        var capacity = min(limit, max(4096, data.count * 8))
        while true {
            var (result, count) = ([UInt8](repeating: 0, count: capacity), UInt(capacity))
            let code = result.withUnsafeMutableBufferPointer { to in
                data.withUnsafeBufferPointer { from in
                    uncompress(to.baseAddress, &count, from.baseAddress, UInt(data.count))
                }
            }
            switch code {
            case 0: return Array(result.prefix(Int(count)))
            // The buffer is too small.
            case -5 where capacity < limit: capacity = min(limit, capacity * 4)
            case -5: throw ZlibError(description: "the packets of the bug report have more than \(limit) bytes")
            default: throw ZlibError(description: "the packets of the bug report cannot be decompressed")
            }
        }
    }
}
