import BluetoothRuntime
import Foundation
import Testing

@testable import HaraldCommand

/// The doctor's diagnoses of simulated machines.
@Suite struct DoctorTests {
    /// A machine where everything works.
    private static var healthy: MachineFacts {
        var facts = MachineFacts()
        facts.kernel = "6.1.0"
        facts.hasKernelBluetooth = true
        facts.controllers = [.init(name: "hci0", driver: "btusb")]
        facts.switches = [.init(name: "hci0", isSoftBlocked: false, isHardBlocked: false)]
        facts.firmwareProblems = []
        facts.isBluetoothdInstalled = true
        facts.bluetoothd = 500
        facts.bluezVersion = "5.66"
        facts.hasBusSocket = true
        facts.hasBusPolicy = true
        facts.blueZ = .adapters([.init(name: "hci0", isPowered: true)])
        facts.user = "anna"
        return facts
    }

    private struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var subject: Finding.Subject
        var cure: String
        var change: @Sendable (inout MachineFacts) -> Void
        var testDescription: String { name }
    }

    @Test func aHealthyMachineIsReady() {
        let diagnosis = Diagnosis(Self.healthy)
        #expect(diagnosis.adapter == "bluez:hci0")
        #expect(!diagnosis.findings.contains { $0.level == .problem })
        #expect(diagnosis.lines(width: nil).last == "A scan works, with --adapter bluez:hci0.")
    }

    @Test(
        "The interface that reads adapters is shown, and is never an obstacle",
        arguments: [
            (nil, Finding.Level.good, "adapters are read with recv"),
            ("epoll", .good, "with epoll, because of HARALD_WAIT"),
            ("recv", .good, "with recv, because of HARALD_WAIT"),
            ("ring", .note, "HARALD_WAIT=ring is ignored: adapters are read with recv"),
            ("", .note, "HARALD_WAIT= is ignored: adapters are read with recv"),
        ] as [(String?, Finding.Level, String)])
    func theWaitIsShown(request: String?, level: Finding.Level, text: String) {
        var facts = Self.healthy
        facts.waitRequest = request
        let diagnosis = Diagnosis(facts)
        let finding = diagnosis.findings.first { $0.subject == .wait }
        #expect(finding?.level == level)
        #expect(finding?.text.contains(text) == true, "\(String(describing: finding))")
        #expect(diagnosis.isReady)
    }

    private static let cases = [
        Case(name: "not Linux", subject: .system, cure: "virtual:") { $0.isLinux = false },
        Case(name: "kernel without Bluetooth", subject: .kernel, cure: "linux-image") {
            $0.hasKernelBluetooth = false
            $0.blueZ = .notRunning
            $0.controllers = []
        },
        Case(name: "module not loaded", subject: .kernel, cure: "modprobe bluetooth") {
            $0.hasKernelBluetooth = false
            $0.hasBluetoothModule = true
            $0.blueZ = .adapters([])
            $0.controllers = []
        },
        Case(name: "no controller", subject: .hardware, cure: "plug one in") {
            $0.controllers = []
            $0.blueZ = .adapters([])
        },
        Case(name: "no driver", subject: .hardware, cure: "modprobe btusb") {
            $0.controllers = []
            $0.driverlessHardware = ["CSR dongle"]
            $0.blueZ = .adapters([])
        },
        Case(name: "soft block", subject: .rfkill, cure: "rfkill unblock bluetooth") {
            $0.switches[0].isSoftBlocked = true
            $0.blueZ = .adapters([.init(name: "hci0", isPowered: false)])
        },
        Case(name: "hard block", subject: .rfkill, cure: "switch or key") {
            $0.switches[0].isHardBlocked = true
            $0.blueZ = .adapters([.init(name: "hci0", isPowered: false)])
        },
        Case(name: "firmware", subject: .firmware, cure: "firmware-realtek") {
            $0.controllers = []
            $0.firmwareProblems = ["Bluetooth: hci0: RTL: firmware file rtl_bt/rtl8761bu_fw.bin not found"]
            $0.blueZ = .adapters([])
        },
        Case(name: "BlueZ not installed", subject: .bluetoothd, cure: "apt install bluez") {
            $0.isBluetoothdInstalled = false
            $0.bluetoothd = nil
            $0.blueZ = .notRunning
        },
        Case(name: "bluetoothd not started", subject: .bluetoothd, cure: "systemctl enable --now bluetooth") {
            $0.bluetoothd = nil
            $0.blueZ = .notRunning
        },
        Case(name: "bluetoothd without the bus", subject: .bluetoothd, cure: "restart dbus bluetooth") {
            $0.blueZ = .notRunning
        },
        Case(name: "no bus", subject: .dbus, cure: "apt install dbus") { $0.blueZ = .noBus("no D-Bus") },
        Case(name: "not let in", subject: .dbus, cure: "usermod -aG bluetooth anna") { $0.blueZ = .denied },
        Case(name: "let in by group, not by policy", subject: .dbus, cure: "reload dbus") {
            $0.blueZ = .denied
            $0.groups = ["bluetooth"]
        },
        Case(name: "switched off", subject: .adapter, cure: "bluetoothctl power on") {
            $0.blueZ = .adapters([.init(name: "hci0", isPowered: false)])
        },
        Case(name: "not taken up", subject: .adapter, cure: "systemctl restart bluetooth") { $0.blueZ = .adapters([]) },
        Case(name: "container", subject: .environment, cure: "--net=host") {
            $0.enclosure = .container("docker")
            $0.controllers = []
            $0.hasBusSocket = false
            $0.blueZ = .noBus("no D-Bus")
        },
        Case(name: "Windows", subject: .environment, cure: "usbipd") {
            $0.enclosure = .windowsSubsystem
            $0.controllers = []
            $0.blueZ = .notRunning
        },
    ]

    @Test("Each cause that prevents scanning is reported with its remedy", arguments: cases)
    private func names(_ problem: Case) {
        var facts = Self.healthy
        problem.change(&facts)
        let diagnosis = Diagnosis(facts)
        #expect(!diagnosis.isReady)
        let finding = diagnosis.findings.first { $0.subject == problem.subject && $0.level == .problem }
        #expect(finding?.cure?.contains(problem.cure) == true, "\(diagnosis.lines(width: nil))")
    }

    @Test func withoutBluetoothdAControllerIsUsedDirectly() {
        var facts = Self.healthy
        facts.bluetoothd = nil
        facts.blueZ = .notRunning
        facts.mayAdministrateNetwork = true
        #expect(Diagnosis(facts).adapter == "hci:0")
        facts.switches[0].isSoftBlocked = true
        #expect(!Diagnosis(facts).isReady)
        facts.switches[0].isSoftBlocked = false
        facts.holders = [.init(process: "btvirt", identifier: 7)]
        #expect(!Diagnosis(facts).isReady)
    }

    @Test func jsonHasEveryFinding() throws {
        let text = Diagnosis(Self.healthy).json.text
        #expect(text.hasPrefix(#"{"adapter":"bluez:hci0","findings":[{"cure":null,"level":"ok","subject":"kernel""#))
        #expect(text.hasSuffix(#""ready":true}"#))
    }

    // MARK: Reading

    /// A machine of files in a directory of the test's.
    private func machine(_ files: [String: String], links: [String: String] = [:]) throws -> MachineReader {
        let root = NSTemporaryDirectory() + "machine-\(UInt32.random(in: 0...UInt32.max))"
        let manager = FileManager.default
        for (path, text) in files {
            let directory = (root + path as NSString).deletingLastPathComponent
            try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try text.write(toFile: root + path, atomically: false, encoding: .utf8)
        }
        for (path, target) in links {
            let directory = (root + path as NSString).deletingLastPathComponent
            try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: root + path, withDestinationPath: target)
        }
        return MachineReader(root: root)
    }

    @Test func readsARaspberryPi() throws {
        let reader = try machine(
            [
                "/proc/sys/kernel/osrelease": "6.1.21-v8+\n", "/sys/module/bluetooth/refcnt": "3\n",
                "/sys/class/bluetooth/hci0/type": "", "/sys/class/bluetooth/hci0:64/type": "",
                "/sys/class/rfkill/rfkill0/type": "wlan\n", "/sys/class/rfkill/rfkill1/type": "bluetooth\n",
                "/sys/class/rfkill/rfkill1/name": "hci0\n", "/sys/class/rfkill/rfkill1/soft": "1\n",
                "/sys/class/rfkill/rfkill1/hard": "0\n", "/usr/libexec/bluetooth/bluetoothd": "",
                "/proc/612/comm": "bluetoothd\n", "/proc/613/comm": "btvirt\n", "/run/dbus/system_bus_socket": "",
                "/usr/share/dbus-1/system.d/bluetooth.conf": "",
                "/etc/passwd": "root:x:0:0::/:/bin/sh\npi:x:1000:1000::/:/bin/sh\n",
                "/etc/group": "bluetooth:x:111:pi\nvideo:x:44:pi\naudio:x:29:\n",
                "/proc/self/status":
                    "Name:\tharald\nUid:\t1000\t1000\t1000\t1000\nGroups:\t44 111 1000 \nCapEff:\t0000000000001000\n",
                "/proc/net/hci": "sk RefCnt Rmem Wmem User Inode Parent\nffff 2 0 0 0 777 0\n",
                "/dev/kmsg":
                    "6,1,2,-;Bluetooth: hci0: BCM: 'brcm/BCM4345C0.hcd' Patch file not found\n6,2,3,-;usb 1-1: new\n",
            ],
            links: [
                "/sys/class/bluetooth/hci0/device/driver": "../../bus/serial/drivers/hci_uart_bcm",
                "/proc/612/fd/4": "socket:[777]", "/proc/613/fd/9": "socket:[777]",
            ])
        let facts = reader.facts()
        #expect(facts.kernel == "6.1.21-v8+" && facts.hasKernelBluetooth)
        #expect(facts.controllers == [.init(name: "hci0", driver: "hci_uart_bcm")])
        #expect(facts.switches == [.init(name: "hci0", isSoftBlocked: true, isHardBlocked: false)])
        #expect(facts.isBluetoothdInstalled && facts.bluetoothd == 612 && facts.hasBusPolicy && facts.hasBusSocket)
        #expect(facts.user == "pi" && facts.groups == ["bluetooth", "video"] && !facts.isRoot)
        #expect(facts.mayAdministrateNetwork)
        #expect(facts.holders == [.init(process: "btvirt", identifier: 613)])
        #expect(facts.firmwareProblems == ["Bluetooth: hci0: BCM: 'brcm/BCM4345C0.hcd' Patch file not found"])
        #expect(facts.enclosure == nil)
        try FileManager.default.removeItem(atPath: reader.root)
    }

    @Test func readsContainersAndVirtualMachines() throws {
        #expect(MachineReader(root: "/nowhere").facts().controllers.isEmpty)
        for (files, expected) in [
            (["/.dockerenv": ""], MachineFacts.Enclosure.container("docker")),
            (["/run/systemd/container": "lxc\n"], .container("lxc")),
            (["/proc/version": "Linux version 5.15 (Microsoft@x)"], .windowsSubsystem),
            (
                ["/proc/cpuinfo": "flags\t: fpu hypervisor lm\n", "/sys/class/dmi/id/sys_vendor": "QEMU\n"],
                .virtualMachine("QEMU")
            ),
        ] {
            let reader = try machine(files)
            #expect(reader.facts().enclosure == expected)
            try FileManager.default.removeItem(atPath: reader.root)
        }
    }

    @Test func readsHardwareWithoutADriver() throws {
        let interface = "/sys/bus/usb/devices/1-2:1.0"
        let reader = try machine([
            interface + "/bInterfaceClass": "e0\n", interface + "/bInterfaceSubClass": "01\n",
            interface + "/bInterfaceProtocol": "01\n", "/sys/bus/usb/devices/1-2/product": "CSR8510 A10\n",
            "/lib/modules/6.1/modules.dep": "kernel/net/bluetooth/bluetooth.ko: \n",
            "/proc/sys/kernel/osrelease": "6.1\n",
        ])
        let facts = reader.facts()
        #expect(facts.driverlessHardware == ["CSR8510 A10"] && facts.hasBluetoothModule && !facts.hasKernelBluetooth)
        try FileManager.default.removeItem(atPath: reader.root)
    }
}
