import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// The advertisement monitors of clients (`org.bluez.AdvertisementMonitorManager1`). Confined to the loop.
final class AdvertisementMonitors {
    private static let interface = "org.bluez.AdvertisementMonitor1"

    /// One monitor of a client.
    private final class Monitor {
        /// A device that the client was told of, or that may come into range.
        struct Device {
            var isFound = false
            var range = SignalThresholds.Range()
            /// Ends when the device is lost; nil without thresholds.
            var timer: QueuedTimer?
        }

        let patterns: [AdvertisementPattern]
        let thresholds: SignalThresholds?
        var devices: [PeripheralID: Device] = [:]

        init(_ patterns: [AdvertisementPattern], _ thresholds: SignalThresholds?) {
            self.patterns = patterns
            self.thresholds = thresholds
        }

        func matches(_ report: ScanReport) -> Bool { patterns.contains { $0.matches(report.advertisement) } }
    }

    private final class Application {
        let objects: ClientObjects
        /// The monitors, by the paths of their objects.
        var monitors: [String: Monitor] = [:]

        init(_ objects: ClientObjects) { self.objects = objects }
    }

    private let bus: ClientBus
    private let loop: RadioLoop
    private var applications: [Application] = []
    /// Called when monitors were added or removed.
    var onChange: (() -> Void)?

    init(bus: ClientBus, loop: RadioLoop) {
        self.bus = bus
        self.loop = loop
    }

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
            if application?.monitors.removeValue(forKey: path) != nil { self?.onChange?() }
        }
        application.objects.start { _ in completion() }
    }

    /// - Throws: `DoesNotExist` if the path is not registered.
    func unregister(_ path: String, of client: String) throws(BusError) {
        let isMeant = { (application: Application) in
            application.objects.client == client && application.objects.root == path
        }
        for application in applications where isMeant(application) {
            for path in application.monitors.keys { application.objects.call(path, Self.interface, "Release") }
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
        do throws(BusError) {
            guard properties["Type"] == .string("or_patterns"),
                let patterns = AdvertisementPattern.patterns(properties["Patterns"])
            else { throw .invalidArguments }
            application.monitors[path] = Monitor(patterns, try SignalThresholds(properties))
        } catch {
            return application.objects.call(path, Self.interface, "Release")
        }
        application.objects.call(path, Self.interface, "Activate")
        onChange?()
    }

    /// Returns true if an advertisement matches a monitor.
    func wants(_ report: ScanReport) -> Bool {
        applications.contains { application in
            application.monitors.values.contains { $0.matches(report) }
        }
    }

    /// Tells the clients of an advertisement that matches their monitors: of each one without thresholds, as BlueZ does
    /// (`adv_monitor.c` of BlueZ 5.87), and of one with which the device comes into range.
    func heard(_ report: ScanReport, at path: String) {
        for application in applications {
            for (object, monitor) in application.monitors where monitor.matches(report) {
                let isTold = hears(report, monitor) { [weak self, weak application, weak monitor] in
                    guard let application, let monitor else { return }
                    self?.lose(report.peripheral, at: path, monitor, object, of: application)
                }
                if isTold { application.objects.call(object, Self.interface, "DeviceFound", [.path(path)]) }
            }
        }
    }

    /// Returns true if the client is told of an advertisement.
    /// - Parameter lost: called when the device is lost by its thresholds.
    private func hears(_ report: ScanReport, _ monitor: Monitor, _ lost: @escaping () -> Void) -> Bool {
        var device = monitor.devices[report.peripheral] ?? Monitor.Device()
        defer { monitor.devices[report.peripheral] = device }
        guard let thresholds = monitor.thresholds else {
            device.isFound = true
            return true
        }
        let timer = device.timer ?? loop.makeTimer(lost)
        device.timer = timer
        guard device.range.hear(report.rssi ?? -127, at: loop.now, thresholds) else { return false }
        timer.arm(at: loop.now + thresholds.lowTimeout)
        let isNew = !device.isFound
        device.isFound = true
        return isNew
    }

    /// Tells the clients that a device is gone.
    func lost(_ peripheral: PeripheralID, at path: String) {
        for application in applications {
            for (object, monitor) in application.monitors {
                lose(peripheral, at: path, monitor, object, of: application)
            }
        }
    }

    private func lose(
        _ peripheral: PeripheralID, at path: String, _ monitor: Monitor, _ object: String, of application: Application
    ) {
        guard let device = monitor.devices.removeValue(forKey: peripheral) else { return }
        device.timer?.disarm()
        if device.isFound { application.objects.call(object, Self.interface, "DeviceLost", [.path(path)]) }
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
