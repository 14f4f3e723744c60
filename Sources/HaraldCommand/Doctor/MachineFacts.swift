/// The facts about a machine that concern Bluetooth, without any evaluation.
struct MachineFacts: Hashable, Sendable {
    /// A controller known to the kernel.
    struct Controller: Hashable, Sendable {
        /// "hci0"
        var name: String
        /// The kernel driver, such as "btusb"; nil if unknown.
        var driver: String?
    }

    struct Switch: Hashable, Sendable {
        var name: String
        /// True if it is blocked by software; `rfkill unblock` unblocks it.
        var isSoftBlocked: Bool
        /// True if it is blocked by a hardware switch or key.
        var isHardBlocked: Bool
    }

    /// A process that uses controllers without `bluetoothd`.
    struct Holder: Hashable, Sendable {
        var process: String
        var identifier: Int
    }

    /// The environment that separates this program from the hardware.
    enum Enclosure: Hashable, Sendable {
        /// "docker", "podman", "lxc", ...
        case container(String)
        case windowsSubsystem
        /// "QEMU", "VMware", ...
        case virtualMachine(String)
    }

    /// The answer of `bluetoothd`.
    enum BlueZAnswer: Hashable, Sendable {
        /// The D-Bus library is missing, or there is no bus.
        case noBus(String)
        /// The bus denies this user access.
        case denied
        /// No process owns the bus name.
        case notRunning
        case adapters([BlueZAdapter])
    }

    struct BlueZAdapter: Hashable, Sendable {
        var name: String
        var isPowered: Bool
    }

    var isLinux = true
    var kernel = ""
    /// True if the kernel's Bluetooth is built in or loaded.
    var hasKernelBluetooth = false
    var hasBluetoothModule = false
    var controllers: [Controller] = []
    /// The names of USB Bluetooth devices without a driver.
    var driverlessHardware: [String] = []
    var switches: [Switch] = []
    /// Kernel log lines about missing or broken Bluetooth firmware; nil if the log is not readable.
    var firmwareProblems: [String]?
    var isBluetoothdInstalled = false
    /// The process identifier of `bluetoothd`; nil if it does not run.
    var bluetoothd: Int?
    /// "5.66"
    var bluezVersion: String?
    var hasBusSocket = false
    /// True if BlueZ's D-Bus policy is installed.
    var hasBusPolicy = false
    var blueZ = BlueZAnswer.notRunning
    var holders: [Holder] = []
    var user = ""
    var groups: [String] = []
    var isRoot = false
    /// True if this process may open user channels (CAP_NET_ADMIN).
    var mayAdministrateNetwork = false
    var enclosure: Enclosure?
    /// The value of the variable that selects the system interface with which adapters are read; nil if it is not set.
    var waitRequest: String?
}
