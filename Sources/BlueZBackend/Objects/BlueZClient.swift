import BluetoothRuntime
import SystemBus

/// `bluetoothd` as seen over the bus: its presence, and a mirror of its objects. Confined to the loop.
final class BlueZClient {
    let bus: BusConnection
    private(set) var objects = ManagedObjects()
    /// True while `bluetoothd` runs and its objects are known.
    private(set) var isRunning = false
    /// The unique name of `bluetoothd`; messages of other senders are ignored.
    private var owner = ""
    weak var observer: (any BlueZObserver)?
    private var started: ((Result<Void, BusError>) -> Void)?

    init(address: String = BusConnection.systemAddress, loop: RadioLoop) throws(BusError) {
        bus = try BusConnection(address: address, loop: loop)
        bus.onSignal = { [weak self] in self?.received($0) }
        bus.onClosed = { [weak self] in self?.lost($0) }
    }

    /// Determines if `bluetoothd` runs and reads its objects. Fails where the bus refuses the connection; a missing
    /// `bluetoothd` is no failure.
    func start(completion: @escaping (Result<Void, BusError>) -> Void) {
        started = completion
        bus.addMatch(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(BlueZ.service)'")
        bus.addMatch("type='signal',sender='\(BlueZ.service)'")
        bus.bus("GetNameOwner", [.string(BlueZ.service)]) { [weak self] result in
            switch result {
            case .success(let answer): self?.appeared(answer.first?.text ?? "")
            case .failure(let error) where error.kind == "NameHasNoOwner": self?.finishStart(.success(()))
            case .failure(let error): self?.finishStart(.failure(error))
            }
        }
    }

    private func finishStart(_ result: Result<Void, BusError>) {
        let completion = started
        started = nil
        completion?(result)
    }

    func close() {
        observer = nil
        bus.close()
    }

    /// Calls a method of an object of BlueZ.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration? = .seconds(30), completion: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        bus.call(
            BlueZ.service, path, interface, member, arguments, timeout: timeout, completion: completion)
    }

    // MARK: Presence of bluetoothd

    private func appeared(_ name: String) {
        owner = name
        call("/", BlueZ.objectManager, "GetManagedObjects") { [weak self] result in
            guard let self, owner == name else { return }
            switch result {
            case .success(let answer):
                objects = ManagedObjects(answer)
                isRunning = true
                finishStart(.success(()))
                observer?.blueZ(isRunning: true)
            case .failure(let error): finishStart(.failure(error))
            }
        }
    }

    private func vanished() {
        owner = ""
        objects = ManagedObjects()
        guard isRunning else { return }
        isRunning = false
        observer?.blueZ(isRunning: false)
    }

    private func lost(_ error: BusError) {
        vanished()
        finishStart(.failure(error))
        observer?.blueZ(lostBus: error)
    }

    // MARK: Signals

    private func received(_ signal: BusSignal) {
        if signal.member == "NameOwnerChanged", signal.sender == "org.freedesktop.DBus" {
            guard signal.arguments.count == 3, signal.arguments[0].text == BlueZ.service else { return }
            vanished()
            if let name = signal.arguments[2].text, !name.isEmpty { appeared(name) }
            return
        }
        // The answer to GetManagedObjects contains the effect of earlier signals.
        guard isRunning, signal.sender == owner else { return }
        let arguments = signal.arguments
        switch (signal.interface, signal.member) {
        case (BlueZ.objectManager, "InterfacesAdded"):
            guard arguments.count == 2, let path = arguments[0].text else { return }
            let interfaces = ManagedObjects.interfaces(arguments[1])
            objects.add(interfaces, at: path)
            observer?.blueZ(added: interfaces, at: path)
        case (BlueZ.objectManager, "InterfacesRemoved"):
            guard arguments.count == 2, let path = arguments[0].text, let interfaces = arguments[1].texts else {
                return
            }
            objects.remove(interfaces, at: path)
            observer?.blueZ(removed: interfaces, at: path)
        case (BlueZ.properties, "PropertiesChanged"):
            guard arguments.count == 3, let interface = arguments[0].text, let changed = arguments[1].properties else {
                return
            }
            objects.change(changed, without: arguments[2].texts ?? [], of: interface, at: signal.path)
            observer?.blueZ(changed: changed, of: interface, at: signal.path)
        case (BlueZ.device, "Disconnected"):
            observer?.blueZ(disconnected: signal.path, reason: arguments.first?.text ?? "")
        default: break
        }
    }
}
