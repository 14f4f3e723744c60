import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// The peripheral role of an adapter: one local device, with the services of all clients and what they advertise.
/// Confined to the loop.
final class LocalRole {
    /// The services that the applications can have together.
    private static let limit = 512

    private let backend: any RadioBackend
    private let user: RadioUser
    private let bus: ClientBus
    let advertisements: Advertisements
    weak var adapter: AdapterObject?
    var loop: RadioLoop { backend.loop }
    /// nil before a client needs it.
    private(set) var device: (any LocalDevice)?
    private var applications: [ClientApplication] = []

    init(backend: any RadioBackend, user: RadioUser, bus: ClientBus) {
        self.backend = backend
        self.user = user
        self.bus = bus
        advertisements = Advertisements(bus: bus, loop: backend.loop)
        advertisements.start = { [weak self] request, completion in self?.advertise(request, completion) }
        advertisements.stop = { [weak self] in self?.device?.stopAdvertising {} }
        advertisements.adapter = { [weak self] in
            (self?.adapter?.name ?? "", self?.adapter?.isDiscoverable ?? false)
        }
        advertisements.onChange = { [weak self] in
            self?.adapter?.changed(.advertisingManager, ["SupportedInstances", "ActiveInstances"])
        }
    }

    /// The primary services of clients.
    var services: [BluetoothUUID] {
        applications.flatMap { $0.definition?.services ?? [] }.filter(\.local.isPrimary).map(\.local.uuid)
    }

    /// The services of other devices that clients want a link to.
    var profiles: Set<BluetoothUUID> {
        applications.reduce(into: []) { all, application in
            for uuids in (application.definition?.profiles ?? [:]).values { all.formUnion(uuids) }
        }
    }

    func attribute(_ id: AttributeID) -> ServedAttribute? {
        for application in applications {
            if let attribute = application.attributes[id] { return attribute }
        }
        return nil
    }

    // MARK: The device

    /// Returns the device, which it creates with the first use.
    private func openedDevice() throws(RadioError) -> any LocalDevice {
        if let device { return device }
        let configuration = LocalDeviceConfiguration(name: adapter?.name ?? "")
        let device = try backend.makeLocalDevice(configuration, for: user, delegate: self)
        self.device = device
        return device
    }

    private func advertise(_ request: AdvertisingRequest, _ completion: @escaping (Result<Void, RadioError>) -> Void) {
        do throws(RadioError) {
            try openedDevice().startAdvertising(request, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    /// The adapter was switched on: what clients registered before is in effect now.
    func poweredOn() {
        if device == nil, !applications.isEmpty, let device = try? openedDevice() {
            for application in applications { try? application.place(on: device) }
        }
        advertisements.refresh()
    }

    /// The name of the adapter, or its visibility, has changed.
    func adapterChanged() {
        device?.setName(adapter?.name ?? "")
        advertisements.refresh()
    }

    /// Ends the role, and tells the clients.
    func end() {
        advertisements.releaseAll()
        for application in applications { application.end() }
        applications = []
        device?.close {}
        device = nil
    }

    /// Releases what a client held that left the bus.
    func clientLeft(_ client: String) {
        advertisements.remove(client)
        for application in applications where application.objects.client == client { remove(application) }
    }

    // MARK: Applications

    /// Registers the services of a client, which are below a path.
    /// - Throws: `AlreadyExists` if the path is registered.
    func register(
        _ path: String, of client: String, completion: @escaping (Result<Void, BusError>) -> Void
    ) throws(BusError) {
        if application(path, client) != nil { throw .alreadyExists }
        if applications.count >= Self.limit { throw ApplicationDefinition.unplaced }
        let application = ClientApplication(ClientObjects(client: client, root: path, bus: bus))
        applications.append(application)
        application.objects.start { [weak self] _ in
            guard let self, applications.contains(where: { $0 === application }) else {
                return completion(.failure(.failed("Failed to register application")))
            }
            completion(described(application))
        }
    }

    private func described(_ application: ClientApplication) -> Result<Void, BusError> {
        do throws(BusError) {
            let definition = try ApplicationDefinition(application.objects.all)
            // A change of the database takes the longer the more services it has.
            let count = applications.reduce(0) { $0 + ($1.definition?.services.count ?? 0) }
            if count + definition.services.count > Self.limit { throw ApplicationDefinition.unplaced }
            application.definition = definition
        } catch {
            remove(application)
            return .failure(error)
        }
        do throws(RadioError) {
            try application.place(on: openedDevice())
        } catch .radio {
            // The services are placed when the adapter is ready.
        } catch {
            remove(application)
            return .failure(ApplicationDefinition.unplaced)
        }
        application.objects.onChanged = { [weak self, weak application] path, interface, properties in
            guard interface == ApplicationDefinition.characteristicInterface, let value = properties["Value"]?.bytes,
                let found = application?.attribute(at: path)
            else { return }
            self?.update(value, of: found.id, found.attribute)
        }
        application.objects.onRemoved = { [weak self, weak application] path in
            application?.withdraw(path, from: self?.device)
        }
        adapter?.changed(.adapter, ["UUIDs"])
        adapter?.settleDevices()
        return .success(())
    }

    /// Removes the services of a client at its request.
    /// - Throws: `DoesNotExist` if the path is not registered.
    func unregister(_ path: String, of client: String) throws(BusError) {
        guard let application = application(path, client) else { throw .doesNotExist }
        remove(application)
    }

    private func application(_ path: String, _ client: String) -> ClientApplication? {
        applications.first { $0.objects.client == client && $0.objects.root == path }
    }

    private func remove(_ application: ClientApplication) {
        applications.removeAll { $0 === application }
        application.end()
        application.withdraw(from: device)
        if application.definition?.services.isEmpty == false { adapter?.changed(.adapter, ["UUIDs"]) }
        adapter?.settleDevices()
    }

    /// Calls `body` for each attribute of the clients.
    func forEachAttribute(_ body: (ServedAttribute) -> Void) {
        for application in applications { for attribute in application.attributes.values { body(attribute) } }
    }
}

extension Interface {
    /// `org.bluez.GattManager1`.
    static let gattManager: Interface = Interface(
        name: "org.bluez.GattManager1",
        methods: [
            Method("RegisterApplication", in: [.init("application", "o"), .init("options", "a{sv}")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.role.register(call.text(0), of: call.sender) { call.respond($0.map { [] }) }
                return .later
            },
            Method("UnregisterApplication", in: [.init("application", "o")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.role.unregister(call.text(0), of: call.sender)
                return .done
            },
        ])
}
