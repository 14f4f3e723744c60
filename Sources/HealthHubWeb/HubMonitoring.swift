/// A monitor that runs in the process of a hub.
package protocol HubMonitoring: Sendable {
    var status: MonitorStatus { get }
    /// Starts it, unless it runs.
    func start()
}

package struct MonitorStatus: Sendable, Encodable {
    package struct Device: Sendable, Encodable {
        /// The name; empty if it has none.
        package let name: String
        /// The address, or another identifier of the adapter.
        package let address: String

        package init(name: String, address: String) { (self.name, self.address) = (name, address) }
    }

    package let isRunning: Bool
    /// The reason why it has ended.
    package let problem: String?
    package let devices: [Device]

    package init(isRunning: Bool, problem: String?, devices: [Device]) {
        (self.isRunning, self.problem, self.devices) = (isRunning, problem, devices)
    }
}
