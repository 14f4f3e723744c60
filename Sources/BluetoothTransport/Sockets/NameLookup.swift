import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Resolves the name of a host to its addresses.
enum NameLookup {
    typealias Outcome = Result<[SocketAddress], TransportError>

    /// Resolves `host` and calls `completion` on the loop, never inside this call.
    ///
    /// The system's lookup blocks, so it runs on a thread of its own; a numeric address needs none.
    static func addresses(
        of host: String, port: UInt16, on loop: RadioLoop, completion: @escaping (Outcome) -> Void
    ) {
        if case .success(let addresses) = resolve(host, port: port, isNumeric: true) {
            loop.executeNext { completion(.success(addresses)) }
            return
        }
        let bound = LoopBound(confined: completion, loop: loop)
        let status = DetachedThread.start {
            let outcome = resolve(host, port: port, isNumeric: false)
            loop.execute { bound.value(outcome) }
        }
        guard status != 0 else { return }
        loop.executeNext { completion(.failure(.hostNotFound(host: host, reason: SystemCall.text(of: status)))) }
    }

    private static func resolve(_ host: String, port: UInt16, isNumeric: Bool) -> Outcome {
        var hints = addrinfo()
        hints.ai_socktype = SystemCall.streamSocket
        hints.ai_flags = Int32(AI_NUMERICSERV) | (isNumeric ? Int32(AI_NUMERICHOST) : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard status == 0 else {
            return .failure(.hostNotFound(host: host, reason: String(cString: gai_strerror(status))))
        }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                let found = SocketAddress(family: entry.ai_family, bytes: [UInt8](bytes))
                if !addresses.contains(found) { addresses.append(found) }
            }
            next = entry.ai_next
        }
        guard !addresses.isEmpty else {
            return .failure(.hostNotFound(host: host, reason: "it has no internet address"))
        }
        return .success(addresses)
    }
}
