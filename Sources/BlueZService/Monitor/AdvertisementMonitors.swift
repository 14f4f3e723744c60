import BluetoothBackend
import BluetoothModel
import SystemBus

/// The advertisement monitors of clients (`org.bluez.AdvertisementMonitorManager1`). Confined to the loop.
final class AdvertisementMonitors {
    private static let interface = "org.bluez.AdvertisementMonitor1"

    /// One monitor of a client.
    private struct Monitor {
        let path: String
        let patterns: [AdvertisementPattern]
        /// The devices that the client was told of.
        var found: Set<PeripheralID> = []

        func matches(_ report: ScanReport) -> Bool { patterns.contains { $0.matches(report.advertisement) } }
    }

    private final class Application {
        let objects: ClientObjects
        var monitors: [Monitor] = []

        init(_ objects: ClientObjects) { self.objects = objects }
    }

    private let bus: ClientBus
    private var applications: [Application] = []
    /// Called when monitors were added or removed.
    var onChange: (() -> Void)?

    init(bus: ClientBus) { self.bus = bus }

    /// True while there is a monitor.
    var isActive: Bool { applications.contains { !$0.monitors.isEmpty } }

    /// Registers the monitors at a path and below it, also those that the client exports later.
    /// - Throws: `AlreadyExists` if the path is registered.
    func register(_ path: String, of client: String, completion: @escaping () -> Void) throws(BusError) {
        if applications.contains(where: { $0.objects.client == client && $0.objects.root == path }) {
            throw .alreadyExists
        }
        let application = Application(ClientObjects(client: client, root: path, bus: bus))
        applications.append(application)
        application.objects.onAdded = { [weak self, weak application] path in
            if let application { self?.add(path, to: application) }
        }
        application.objects.onRemoved = { [weak self, weak application] path in
            application?.monitors.removeAll { $0.path == path }
            self?.onChange?()
        }
        application.objects.start { _ in completion() }
    }

    /// - Throws: `DoesNotExist` if the path is not registered.
    func unregister(_ path: String, of client: String) throws(BusError) {
        let isMeant = { (application: Application) in
            application.objects.client == client && application.objects.root == path
        }
        for application in applications where isMeant(application) {
            for monitor in application.monitors { application.objects.call(monitor.path, Self.interface, "Release") }
        }
        guard remove(where: isMeant) else { throw .doesNotExist }
    }

    /// Removes the monitors of a client that left the bus.
    func remove(_ client: String) { _ = remove { $0.objects.client == client } }

    private func remove(where isRemoved: (Application) -> Bool) -> Bool {
        let removed = applications.filter(isRemoved)
        for application in removed { application.objects.stop() }
        applications.removeAll(where: isRemoved)
        if !removed.isEmpty { onChange?() }
        return !removed.isEmpty
    }

    private func add(_ path: String, to application: Application) {
        guard let properties = application.objects.all[path]?[Self.interface] else { return }
        guard properties["Type"] == .string("or_patterns"),
            let patterns = AdvertisementPattern.patterns(properties["Patterns"])
        else { return application.objects.call(path, Self.interface, "Release") }
        application.monitors.removeAll { $0.path == path }
        application.monitors.append(Monitor(path: path, patterns: patterns))
        application.objects.call(path, Self.interface, "Activate")
        onChange?()
    }

    /// Returns true if an advertisement matches a monitor.
    func wants(_ report: ScanReport) -> Bool {
        applications.contains { application in
            application.monitors.contains { $0.matches(report) }
        }
    }

    /// Tells the clients of an advertisement that matches their monitors: without thresholds of the RSSI, BlueZ tells
    /// of each (`adv_monitor.c` of BlueZ 5.87).
    func heard(_ report: ScanReport, at path: String) {
        for application in applications {
            for index in application.monitors.indices where application.monitors[index].matches(report) {
                application.monitors[index].found.insert(report.peripheral)
                application.objects.call(
                    application.monitors[index].path, Self.interface, "DeviceFound", [.path(path)])
            }
        }
    }

    /// Tells the clients that a device is gone.
    func lost(_ peripheral: PeripheralID, at path: String) {
        for application in applications {
            for index in application.monitors.indices
            where application.monitors[index].found.remove(peripheral) != nil {
                application.objects.call(
                    application.monitors[index].path, Self.interface, "DeviceLost", [.path(path)])
            }
        }
    }
}

extension Interface {
    /// `org.bluez.AdvertisementMonitorManager1`.
    static let monitorManager: Interface = Interface(
        name: "org.bluez.AdvertisementMonitorManager1",
        properties: [
            Property("SupportedMonitorTypes", "as") { (_: AdapterObject) in .strings(["or_patterns"]) },
            Property("SupportedFeatures", "as") { (_: AdapterObject) in .strings([]) },
        ],
        methods: [
            Method("RegisterMonitor", in: [.init("application", "o")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.monitors.register(call.text(0), of: call.sender) { call.respond(.success([])) }
                return .later
            },
            Method("UnregisterMonitor", in: [.init("application", "o")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.monitors.unregister(call.text(0), of: call.sender)
                return .done
            },
        ])
}
