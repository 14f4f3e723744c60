import BluetoothRuntime

/// Opens channels to controllers outside the process, by the adapter's URI.
package enum HCITransport {
    /// Opens `adapter` and calls `completion` once on the loop, never inside this call. To be called on the loop.
    ///
    /// `auto`, `virtual:` and `bluez:` are not transports: a higher layer resolves them, and here they fail with
    /// ``TransportError/unsupported(adapter:reason:)``. A `tcp-server:` waits for a controller without a timeout; it
    /// stops listening when one has connected, and opening it again waits for the next. Set the channel's delegate
    /// inside `completion`, or any time later: nothing is read before.
    @discardableResult
    package static func open(
        _ adapter: AdapterURI, on loop: RadioLoop,
        completion: @escaping (Result<any HCIChannel, TransportError>) -> Void
    ) -> TransportOpening {
        loop.preconditionOnLoop()
        let opening = TransportOpening(name: adapter.description, loop: loop, completion: completion)
        switch adapter {
        case .tcp(let host, let port):
            NameLookup.addresses(of: host, port: port, on: loop) { outcome in
                guard opening.isPending else { return }
                switch outcome {
                case .success(let addresses): connect(opening, addresses, type: SystemCall.streamSocket, kind: .tcp)
                case .failure(let error): opening.finish(.failure(error))
                }
            }
        case .unix(let path):
            enqueue(opening) { () throws(TransportError) in
                connect(opening, [try SocketAddress(path: path)], type: SystemCall.streamSocket, kind: .unix)
            }
        case .seq(let path):
            enqueue(opening) { () throws(TransportError) in
                connect(opening, [try SocketAddress(path: path)], type: SystemCall.packetSocket, kind: nil)
            }
        case .tcpServer(let host, let port):
            awaitController(opening, .tcp(host: host, port: port))
        case .serial(let settings):
            enqueue(opening) { () throws(TransportError) in
                let descriptor = try SerialPort.open(settings)
                opening.finish(
                    .success(StreamChannel(.serial, descriptor: descriptor, name: opening.name, loop: loop)))
            }
        case .hci(let index):
            enqueue(opening) { () throws(TransportError) in try openUserChannel(opening, index: index) }
        case .auto, .virtual, .bluez:
            enqueue(opening) { () throws(TransportError) in
                throw .unsupported(adapter: adapter.description, reason: "it is not a transport to a controller")
            }
        }
        return opening
    }

    /// Runs `body` after the current event, unless the opening was cancelled.
    private static func enqueue(_ opening: TransportOpening, _ body: @escaping () throws(TransportError) -> Void) {
        opening.loop.executeNext {
            guard opening.isPending else { return }
            do throws(TransportError) {
                try body()
            } catch {
                opening.finish(.failure(error))
            }
        }
    }

    /// - Parameter kind: the kind of stream; nil for a packet socket.
    private static func connect(
        _ opening: TransportOpening, _ addresses: [SocketAddress], type: Int32, kind: StreamChannel.Kind?
    ) {
        let connector = Connector(name: opening.name, addresses: addresses, type: type, loop: opening.loop) { result in
            opening.finish(
                result.map { descriptor in
                    if let kind {
                        StreamChannel(kind, descriptor: descriptor, name: opening.name, loop: opening.loop)
                    } else {
                        PacketChannel(descriptor: descriptor, name: opening.name, loop: opening.loop)
                    }
                })
        }
        opening.onCancel { connector.cancel() }
        connector.start()
    }

    private static func awaitController(_ opening: TransportOpening, _ address: ListenAddress) {
        Listener.open(address, on: opening.loop) { descriptor in
            guard opening.isPending else {
                // A second controller that connected at the same moment.
                SystemCall.close(descriptor)
                return
            }
            // No second controller is accepted while there is one.
            opening.stop()
            opening.finish(
                .success(StreamChannel(.tcp, descriptor: descriptor, name: opening.name, loop: opening.loop)))
        } completion: { result in
            switch result {
            case .success(let listener):
                opening.listenAddress = listener.address
                opening.onCancel { listener.close() }
            case .failure(let error): opening.finish(.failure(error))
            }
        }
    }

    private static func openUserChannel(_ opening: TransportOpening, index: UInt16) throws(TransportError) {
        #if os(Linux)
        let descriptor = try HCIUserSocket.open(index: index)
        let channel = PacketChannel(descriptor: descriptor, name: opening.name, loop: opening.loop) { code in
            HCIUserSocket.transferFailure(code, index: index)
        }
        opening.finish(.success(channel))
        #else
        throw .unsupported(adapter: opening.name, reason: "only Linux has HCI user channels")
        #endif
    }
}
