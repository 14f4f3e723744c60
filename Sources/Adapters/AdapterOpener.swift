import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import HostBackend

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opens the controller of a source and starts a host stack on it.
struct AdapterOpener: Sendable {
    let options: AdapterOptions
    /// The adapters of the operating system's own service, if there is a backend for it.
    private let system = SystemService.adapters

    func open(_ source: AdapterSource) async throws(RadioError) -> OpenAdapter {
        switch source {
        case .uri(let text): return try await open(try Self.parsed(text), text)
        case .backend(let source):
            let backend = try await source.open(options)
            return OpenAdapter(backend, source.isVirtual ? .host(options, isVirtual: true) : .unknown)
        }
    }

    private static func parsed(_ text: String) throws(RadioError) -> AdapterURI {
        let environment = ProcessInfo.processInfo.environment["HARALD_ADAPTER"] ?? ""
        let text = text == "auto" && !environment.isEmpty ? environment : text
        do { return try AdapterURI(text) } catch { throw .invalidArgument("\(error)") }
    }

    private func open(_ uri: AdapterURI, _ text: String) async throws(RadioError) -> OpenAdapter {
        switch uri {
        case .auto: return try await openFirst()
        case .virtual(scene: nil):
            let path = UserAir.socketPath()
            if UserAir.isAlive(path) { return try await openChannel(.unix(path: path), text, isVirtual: true) }
            throw .radio(
                .unsupported,
                reason: "no program serves an air at \(path); start 'harald air' or 'harald simulate', or use a "
                    + "VirtualRadio of the product VirtualBluetooth inside the program")
        case .virtual(.some):
            throw .unsupported(
                "scenes are available only in the program 'harald' and the module VirtualDevices; use virtual:")
        case .bluez(let name):
            guard let system else { throw .unsupported("this system has no BlueZ; use another adapter") }
            if let conflict = options.systemConflict { throw conflict }
            guard let backend = try await system.open(name, uri: text, on: .shared) else {
                throw .radio(.unsupported, reason: "bluetoothd has no adapter \(name)")
            }
            return await limited(backend)
        case .tcp, .tcpServer, .unix, .seq, .serial, .hci:
            return try await openChannel(uri, text, isVirtual: false)
        }
    }

    /// Prepares an adapter of the system's service, which does not count failed attempts on fixed passkeys itself.
    private func limited(_ backend: LoopBound<any RadioBackend>) async -> OpenAdapter {
        let directory = options.storage.directory(isVirtual: false)
        return await backend.loop.run {
            backend.value.limitPasskeys(by: HostAdapter.passkeyLimiter(in: directory))
            return OpenAdapter(backend, .system)
        }
    }

    private func openChannel(
        _ uri: AdapterURI, _ text: String, isVirtual: Bool
    ) async throws(RadioError) -> OpenAdapter {
        try options.checkBonds(isVirtual: isVirtual)
        do throws(TransportError) {
            return try await openTransport(uri, text, isVirtual: isVirtual)
        } catch .cancelled {
            throw .cancelled
        } catch {
            throw .radio(error.radioState, reason: "\(error)")
        }
    }

    /// The state of opening a channel. Accessed on the loop.
    private enum ChannelPhase {
        case notBegun
        case opening(TransportOpening)
        case cancelled
    }

    private func openTransport(
        _ uri: AdapterURI, _ text: String, isVirtual: Bool
    ) async throws(TransportError) -> OpenAdapter {
        // A loop of its own: two adapters use two cores, and a slow user of one does not delay the other.
        let loop = options.loop ?? RadioLoop()
        let phase = LoopBound(ChannelPhase.notBegun, loop: loop)
        let result: Result<OpenAdapter, TransportError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute {
                    guard case .notBegun = phase.value else {
                        return continuation.resume(returning: .failure(.cancelled(text)))
                    }
                    phase.value = .opening(
                        HCITransport.open(uri, on: loop) { result in
                            continuation.resume(
                                returning: result.flatMap { channel in
                                    Result { () throws(TransportError) in
                                        try radio(on: channel, text, isVirtual: isVirtual)
                                    }
                                })
                        })
                }
            }
        } onCancel: {
            loop.execute {
                if case .opening(let opening) = phase.value { opening.cancel() }
                phase.value = .cancelled
            }
        }
        return try result.get()
    }

    private func radio(
        on channel: any HCIChannel, _ text: String, isVirtual: Bool
    ) throws(TransportError) -> OpenAdapter {
        let info = AdapterInfo(uri: text, summary: "HCI controller on \(channel.name)")
        let host = try options.hostAdapter(on: channel, info, isVirtual: isVirtual, role: options.addressRole)
        host.start()
        return OpenAdapter(host.backend, .host(options, isVirtual: isVirtual))
    }

    /// Opens BlueZ's adapter if it runs and has one, else the first free controller of the machine, else an absent
    /// adapter whose state has the reason.
    private func openFirst() async throws(RadioError) -> OpenAdapter {
        var reason =
            "no Bluetooth adapter was found; plug one in, or use the virtual radio, the adapter 'virtual:' ('harald "
            + "doctor' reports the cause)"
        var state = RadioState.unsupported
        var denial: (RadioState, String)?
        var silence = ""
        if let system, options.systemConflict == nil {
            do throws(RadioError) {
                if let backend = try await system.open(nil, uri: "", on: .shared) {
                    return await limited(backend)
                }
            } catch {
                // An unreachable service is reported only where nothing else works; a refusal is always reported.
                switch error {
                case .radio(.unauthorized, let cure): denial = (.unauthorized, cure)
                case .radio(_, let reason): silence = "; BlueZ is not available either: \(reason)"
                default: break
                }
            }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")) ?? []
        let indices = names.compactMap { $0.hasPrefix("hci") ? UInt16($0.dropFirst(3)) : nil }
        if !indices.isEmpty { try options.checkBonds(isVirtual: false) }
        for index in indices.sorted() {
            do throws(TransportError) {
                return try await openTransport(.hci(index: index), "hci:\(index)", isVirtual: false)
            } catch {
                (state, reason) = (error.radioState, "\(error)\(silence)")
            }
        }
        let (absence, explanation) = denial ?? (state, reason)
        return await RadioLoop.shared.run {
            let info = AdapterInfo(uri: "auto", summary: "no adapter")
            let host = HostAdapter(absent: absence, reason: explanation, info: info, loop: .shared)
            return OpenAdapter(host.backend, .unknown)
        }
    }
}

extension TransportError {
    /// The state of an adapter that failed to open with this error.
    var radioState: RadioState {
        switch self {
        case .permissionDenied: .unauthorized
        case .radioBlocked, .busy: .poweredOff
        default: .unsupported
        }
    }
}
