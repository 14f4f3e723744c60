import BluetoothRuntime

/// Evaluates the facts of a machine: the obstacles to a scan and their cures. It performs no input or output.
struct Diagnosis: Hashable, Sendable {
    /// The findings, from the machine up to the permissions.
    private(set) var findings: [Finding] = []
    /// The adapter that `auto` selects; nil if a scan would not work.
    private(set) var adapter: String?

    /// True if a scan would work.
    var isReady: Bool { adapter != nil }

    init(_ facts: MachineFacts) {
        guard facts.isLinux else {
            findings = [
                Finding(.system, .problem, "this is not Linux", cure: "use the virtual radio: --adapter virtual:")
            ]
            return
        }
        environment(facts)
        kernel(facts)
        hardware(facts)
        switches(facts)
        firmware(facts)
        daemon(facts)
        permissions(facts)
        holders(facts)
        waiting(facts.waitRequest)
        adapter = Self.adapter(facts)
        if adapter == nil, !findings.contains(where: { $0.level == .problem }) {
            findings.append(
                Finding(
                    .adapter, .problem, "no adapter is usable",
                    cure: "plug one in, or use the virtual radio: --adapter virtual:"))
        }
    }

    /// Selects BlueZ's first powered adapter, else a controller that is unused and accessible.
    private static func adapter(_ facts: MachineFacts) -> String? {
        if case .adapters(let adapters) = facts.blueZ, let first = adapters.first(where: \.isPowered) {
            return "bluez:\(first.name)"
        }
        let isBlocked = facts.switches.contains { $0.isSoftBlocked || $0.isHardBlocked }
        guard facts.bluetoothd == nil, facts.mayAdministrateNetwork, !isBlocked, facts.holders.isEmpty else {
            return nil
        }
        return facts.controllers.first.map { "hci:\($0.name.dropFirst(3))" }
    }

    private mutating func add(_ subject: Finding.Subject, _ level: Finding.Level, _ text: String, cure: String? = nil) {
        findings.append(Finding(subject, level, text, cure: cure))
    }

    // MARK: The machine

    private mutating func environment(_ facts: MachineFacts) {
        let hasControllers = !facts.controllers.isEmpty
        switch facts.enclosure {
        case .container(let kind):
            let cure = "docker run --net=host -v /run/dbus:/run/dbus ...; for hci:N also --cap-add=NET_ADMIN"
            add(
                .environment, hasControllers && facts.hasBusSocket ? .note : .problem,
                "this is a container (\(kind)), which has no access to Bluetooth without options", cure: cure)
        case .windowsSubsystem:
            add(
                .environment, hasControllers ? .note : .problem, "this is the Windows Subsystem for Linux",
                cure: "attach a USB adapter with 'usbipd attach --wsl'; the kernel needs CONFIG_BT")
        case .virtualMachine(let maker):
            add(
                .environment, .note, "this is a virtual machine (\(maker))",
                cure: hasControllers ? nil : "pass a USB Bluetooth adapter through to the virtual machine")
        case nil: break
        }
    }

    private mutating func kernel(_ facts: MachineFacts) {
        if facts.hasKernelBluetooth {
            add(.kernel, .good, "Linux \(facts.kernel) with Bluetooth")
        } else if facts.hasBluetoothModule {
            add(
                .kernel, .problem, "the kernel's Bluetooth modules are not loaded",
                cure: "sudo modprobe bluetooth btusb")
        } else {
            add(
                .kernel, .problem, "Linux \(facts.kernel) has no Bluetooth",
                cure: "install the distribution's full kernel, such as linux-image-amd64 instead of a cloud image's")
        }
    }

    private mutating func hardware(_ facts: MachineFacts) {
        for name in facts.driverlessHardware {
            add(.hardware, .problem, "no driver is bound to '\(name)'", cure: "sudo modprobe btusb")
        }
        if facts.controllers.isEmpty {
            add(
                .hardware, .problem, "no Bluetooth controller",
                cure: "plug one in ('lsusb' and 'dmesg | grep -i bluetooth' show it), or use --adapter virtual:")
        } else {
            let list = facts.controllers.map { controller in
                controller.name + (controller.driver.map { " (\($0))" } ?? "")
            }
            add(.hardware, .good, "controller " + list.joined(separator: ", "))
        }
    }

    /// Not an obstacle to a scan: each interface works.
    private mutating func waiting(_ request: String?) {
        let interface = LoopWait(request: request).rawValue
        let variable = LoopWait.variable
        switch request {
        case nil: add(.wait, .good, "adapters are read with \(interface)")
        case interface?: add(.wait, .good, "adapters are read with \(interface), because of \(variable)")
        case let request?:
            let names = LoopWait.allCases.map(\.rawValue).joined(separator: " or ")
            add(
                .wait, .note, "\(variable)=\(request) is ignored: adapters are read with \(interface)",
                cure: "set \(variable) to \(names), or unset it")
        }
    }

    private mutating func switches(_ facts: MachineFacts) {
        for blocked in facts.switches where blocked.isHardBlocked {
            add(
                .rfkill, .problem, "\(blocked.name) is blocked by a hardware switch",
                cure: "switch radios on with the switch or key of the machine")
        }
        for blocked in facts.switches where blocked.isSoftBlocked {
            add(.rfkill, .problem, "\(blocked.name) is blocked by software", cure: "rfkill unblock bluetooth")
        }
        if !facts.switches.isEmpty, facts.switches.allSatisfy({ !$0.isSoftBlocked && !$0.isHardBlocked }) {
            add(.rfkill, .good, "no radio switch blocks Bluetooth")
        }
    }

    private mutating func firmware(_ facts: MachineFacts) {
        guard let problems = facts.firmwareProblems else {
            return add(
                .firmware, .note, "the kernel log is not readable",
                cure: "run 'sudo harald doctor' to check for missing firmware")
        }
        guard let last = problems.last else {
            return add(.firmware, .good, "the kernel log reports no missing firmware")
        }
        add(
            .firmware, facts.controllers.isEmpty ? .problem : .note, last,
            cure:
                "install it: firmware-realtek, firmware-iwlwifi, firmware-brcm80211, firmware-atheros (Debian, non-free-firmware) "
                + "or linux-firmware; then reconnect the adapter")
    }

    // MARK: BlueZ

    private mutating func daemon(_ facts: MachineFacts) {
        // Without bluetoothd a controller is still usable for users with the permission.
        let level: Finding.Level = facts.mayAdministrateNetwork && !facts.controllers.isEmpty ? .note : .problem
        switch facts.blueZ {
        case .noBus(let reason):
            add(
                .dbus, level, reason,
                cure: "install and start D-Bus: apt install dbus libsystemd0; systemctl start dbus")
        case .denied:
            add(.dbus, .problem, "D-Bus denies '\(facts.user)' access to bluetoothd", cure: policyCure(facts))
        case .notRunning where facts.bluetoothd != nil:
            add(
                .bluetoothd, .problem, "bluetoothd runs, but is not on the bus",
                cure: "sudo systemctl restart dbus bluetooth (a container needs -v /run/dbus:/run/dbus)")
        case .notRunning where facts.isBluetoothdInstalled:
            add(.bluetoothd, level, "bluetoothd does not run", cure: "sudo systemctl enable --now bluetooth")
        case .notRunning:
            add(.bluetoothd, level, "BlueZ is not installed", cure: "sudo apt install bluez")
        case .adapters(let adapters):
            let version = facts.bluezVersion.map { " \($0)" } ?? ""
            add(.bluetoothd, .good, "bluetoothd\(version) runs" + (facts.bluetoothd.map { " (process \($0))" } ?? ""))
            self.adapters(adapters, facts)
        }
        if facts.isBluetoothdInstalled, !facts.hasBusPolicy {
            add(
                .policy, .note, "the D-Bus policy of BlueZ is not installed",
                cure: "sudo apt install --reinstall bluez; systemctl reload dbus")
        }
    }

    private func policyCure(_ facts: MachineFacts) -> String {
        facts.groups.contains("bluetooth")
            ? "sudo systemctl reload dbus, and check /etc/dbus-1/system.d/bluetooth.conf"
            : "sudo usermod -aG bluetooth \(facts.user), then log in again"
    }

    private mutating func adapters(_ adapters: [MachineFacts.BlueZAdapter], _ facts: MachineFacts) {
        if adapters.isEmpty {
            if !facts.controllers.isEmpty {
                add(
                    .adapter, .problem, "bluetoothd manages none of the controllers",
                    cure: "sudo systemctl restart bluetooth; 'bluetoothctl list' shows its controllers")
            }
            return
        }
        let isAnyOn = adapters.contains(where: \.isPowered)
        for adapter in adapters {
            if adapter.isPowered {
                add(.adapter, .good, "\(adapter.name) is on: --adapter bluez:\(adapter.name)")
            } else {
                add(
                    .adapter, isAnyOn ? .note : .problem, "\(adapter.name) is off",
                    cure: "bluetoothctl power on; to make it permanent, AutoEnable=true in /etc/bluetooth/main.conf")
            }
        }
    }

    // MARK: Permissions and users

    private mutating func permissions(_ facts: MachineFacts) {
        if facts.mayAdministrateNetwork {
            add(.permission, .good, "'\(facts.user)' has the capabilities to use a controller directly (hci:N)")
        } else {
            add(
                .permission, .note,
                "'\(facts.user)' lacks the capabilities to use a controller directly (hci:N); BlueZ does not need them",
                cure: "sudo setcap cap_net_admin,cap_net_raw+ep $(command -v harald)")
        }
    }

    private mutating func holders(_ facts: MachineFacts) {
        if let daemon = facts.bluetoothd, !facts.controllers.isEmpty {
            add(
                .holder, .note,
                "bluetoothd (process \(daemon)) holds the controllers; hci:N requires one that is down",
                cure: "bluetoothctl power off, then --adapter hci:N")
        }
        for holder in facts.holders {
            add(
                .holder, .note, "\(holder.process) (process \(holder.identifier)) has HCI sockets open",
                cure: "if hci:N is busy, end this process: kill \(holder.identifier)")
        }
    }
}
