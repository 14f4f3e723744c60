import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds the controller that a source names and puts a host stack on it.
struct AdapterOpener: Sendable {
    let options: AdapterOptions
    /// The adapters of the operating system's own service, where the front door brought them along.
    let system: (any SystemAdapters)?

    func open(_ source: AdapterSource) async throws(RadioError) -> OpenAdapter {
        switch source {
        case .virtual(let radio, let name): return try await openVirtual(radio, name)
        case .uri(let text): return try await open(try Self.parsed(text), text)
        case .backend(let source): return OpenAdapter(try await source.open(options), .unknown)
        }
    }

    private static func parsed(_ text: String) throws(RadioError) -> AdapterURI {
        let environment = ProcessInfo.processInfo.environment["HARALD_ADAPTER"] ?? ""
        let text = text == "auto" && !environment.isEmpty ? environment : text
        do { return try AdapterURI(text) } catch { throw .invalidArgument("\(error)") }
    }

    private func openVirtual(_ radio: VirtualRadio, _ name: String) async throws(RadioError) -> OpenAdapter {
        try checkStore(isVirtual: true)
        return try await radio.loop.run { () throws(RadioError) in
            let channel = try captured(radio.openChannel(named: name))
            let info = AdapterInfo(uri: "virtual:\(name)", summary: "virtual radio")
            let directory = options.storage.directory(isVirtual: true)
            // A controller that is made anew in each run has another address each time, and bonds belong to an address.
            let role = directory != nil && radio.makesUpAddress(ofControllerNamed: name) ? name : options.addressRole
            let host = HostRadio(channel: channel, info: info, directory: directory, options: options, role: role)
            host.onClosed = { radio.closeChannel(named: name) }
            radio.opened(host, named: name)
            host.start()
            return OpenAdapter(host, .host(options, isVirtual: true))
        }
    }

    /// An adapter whose bonds cannot be read is not opened: it would take every bonded device for a stranger.
    private func checkStore(isVirtual: Bool) throws(RadioError) {
        guard let directory = options.storage.directory(isVirtual: isVirtual) else { return }
        if let failure = BondFileStore(directory).failure { throw failure }
    }

    private func open(_ uri: AdapterURI, _ text: String) async throws(RadioError) -> OpenAdapter {
        switch uri {
        case .auto: return try await openFirst()
        case .virtual(scene: nil):
            let path = UserAir.socketPath()
            if UserAir.isAlive(path) { return try await openChannel(.unix(path: path), text, isVirtual: true) }
            return try await openVirtual(VirtualRadio(), "radio")
        case .virtual(.some):
            throw .unsupported("scenes are for the program 'harald' and the module VirtualDevices; use virtual:")
        case .bluez(let name):
            guard let system else { throw .unsupported("there is no BlueZ on this system; use another adapter") }
            if let conflict = options.systemConflict { throw conflict }
            guard let backend = try await system.open(name, uri: text, on: .shared) else {
                throw .radio(.unsupported, reason: "bluetoothd has no adapter \(name)")
            }
            return await limited(backend)
        case .tcp, .tcpServer, .unix, .seq, .serial, .hci:
            return try await openChannel(uri, text, isVirtual: false)
        }
    }

    /// An adapter of the system's service, which counts no attempts on fixed passkeys by itself.
    private func limited(_ backend: LoopBound<any RadioBackend>) async -> OpenAdapter {
        let directory = options.storage.directory(isVirtual: false)
        return await backend.loop.run {
            backend.value.limitPasskeys(by: PasskeyFailureStore(directory))
            return OpenAdapter(backend, .system)
        }
    }

    private func openChannel(
        _ uri: AdapterURI, _ text: String, isVirtual: Bool
    ) async throws(RadioError) -> OpenAdapter {
        try checkStore(isVirtual: isVirtual)
        do throws(TransportError) {
            return try await openTransport(uri, text, isVirtual: isVirtual)
        } catch .cancelled {
            throw .cancelled
        } catch {
            throw .radio(error.radioState, reason: "\(error)")
        }
    }

    /// How far the opening of a channel is, on the loop.
    private enum ChannelPhase {
        case notBegun
        case opening(TransportOpening)
        case cancelled
    }

    private func openTransport(
        _ uri: AdapterURI, _ text: String, isVirtual: Bool
    ) async throws(TransportError) -> OpenAdapter {
        let loop = RadioLoop.shared
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
                                    Result { () throws(TransportError) in try radio(on: channel, text, isVirtual) }
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
        on channel: any HCIChannel, _ text: String, _ isVirtual: Bool
    ) throws(TransportError) -> OpenAdapter {
        let info = AdapterInfo(uri: text, summary: "HCI controller on \(channel.name)")
        let host = HostRadio(
            channel: try captureFile(channel), info: info, directory: options.storage.directory(isVirtual: isVirtual),
            options: options, role: options.addressRole)
        host.start()
        return OpenAdapter(host, .host(options, isVirtual: isVirtual))
    }

    /// BlueZ's adapter where it runs and has one, else the first free controller of the machine; where there is none, an
    /// adapter that says so.
    private func openFirst() async throws(RadioError) -> OpenAdapter {
        var reason =
            "no Bluetooth adapter was found; plug one in, or use the virtual radio, the adapter 'virtual:' ('harald "
            + "doctor' says what is missing)"
        var state = RadioState.unsupported
        var denial: (RadioState, String)?
        var silence = ""
        if let system, options.systemConflict == nil {
            do throws(RadioError) {
                if let backend = try await system.open(nil, uri: "", on: .shared) {
                    return await limited(backend)
                }
            } catch {
                // Nobody to ask is no news, unless nothing else works; being sent away is.
                switch error {
                case .radio(.unauthorized, let cure): denial = (.unauthorized, cure)
                case .radio(_, let reason): silence = "; nor can BlueZ be asked: \(reason)"
                default: break
                }
            }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")) ?? []
        let indices = names.compactMap { $0.hasPrefix("hci") ? UInt16($0.dropFirst(3)) : nil }
        if !indices.isEmpty { try checkStore(isVirtual: false) }
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
            let host = HostRadio(absent: absence, reason: explanation, info: info, loop: .shared)
            return OpenAdapter(host, .unknown)
        }
    }

    private func captured(_ channel: any HCIChannel) throws(RadioError) -> any HCIChannel {
        do { return try captureFile(channel) } catch { throw .invalidArgument("\(error)") }
    }

    private func captureFile(_ channel: any HCIChannel) throws(TransportError) -> any HCIChannel {
        let channel = options.captureTap.map { CapturingChannel(channel, tap: $0) } ?? channel
        guard let path = options.captureFile else { return channel }
        let writer = try BtsnoopWriter(path: path, isPrivate: options.capturesKeys)
        return CapturingChannel(channel, writer: writer, includesKeys: options.capturesKeys)
    }
}

extension TransportError {
    /// What the error says about the adapter's state.
    var radioState: RadioState {
        switch self {
        case .permissionDenied: .unauthorized
        case .radioBlocked, .busy: .poweredOff
        default: .unsupported
        }
    }
}
