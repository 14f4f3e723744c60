/// What a machine says about itself as far as Bluetooth is concerned. Nothing here is judged yet.
struct MachineFacts: Hashable, Sendable {
    /// A controller that the kernel knows.
    struct Controller: Hashable, Sendable {
        /// "hci0"
        var name: String
        /// The kernel's driver: "btusb"; nil where it does not say.
        var driver: String?
    }

    /// A radio switch.
    struct Switch: Hashable, Sendable {
        var name: String
        /// Blocked by software, which `rfkill unblock` undoes.
        var isSoftBlocked: Bool
        /// Blocked by a switch or a key of the machine.
        var isHardBlocked: Bool
    }

    /// Somebody who uses controllers without `bluetoothd`.
    struct Holder: Hashable, Sendable {
        var process: String
        var identifier: Int
    }

    /// What stands between this program and hardware.
    enum Enclosure: Hashable, Sendable {
        /// "docker", "podman", "lxc", ...
        case container(String)
        case windowsSubsystem
        /// "QEMU", "VMware", ...
        case virtualMachine(String)
    }

    /// What `bluetoothd` answered.
    enum BlueZAnswer: Hashable, Sendable {
        /// The library that speaks D-Bus is missing, or there is no bus.
        case noBus(String)
        /// The bus does not let this user ask.
        case denied
        /// Nobody answers to the name.
        case notRunning
        case adapters([BlueZAdapter])
    }

    /// An adapter of BlueZ.
    struct BlueZAdapter: Hashable, Sendable {
        var name: String
        var isPowered: Bool
    }

    var isLinux = true
    var kernel = ""
    /// Whether the kernel's Bluetooth is there: built in, or loaded.
    var hasKernelBluetooth = false
    /// Whether a module could be loaded.
    var hasBluetoothModule = false
    var controllers: [Controller] = []
    /// Bluetooth hardware on USB: the names of those that no driver has taken.
    var driverlessHardware: [String] = []
    var switches: [Switch] = []
    /// Lines of the kernel's log about firmware of Bluetooth that is missing or broken; nil where it may not be read.
    var firmwareProblems: [String]?
    var isBluetoothdInstalled = false
    /// Its process.
    var bluetoothd: Int?
    /// "5.66"
    var bluezVersion: String?
    var hasBusSocket = false
    /// Whether the policy of the bus that comes with BlueZ is installed.
    var hasBusPolicy = false
    var blueZ = BlueZAnswer.notRunning
    var holders: [Holder] = []
    var user = ""
    var groups: [String] = []
    var isRoot = false
    /// Whether this process may open user channels (CAP_NET_ADMIN).
    var mayAdministrateNetwork = false
    var enclosure: Enclosure?
}
