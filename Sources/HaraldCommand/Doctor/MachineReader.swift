import BluetoothRuntime
import Foundation

/// Reads the facts from the files of a machine: of this one, or of a simulated one under `root`.
struct MachineReader {
    /// The prefix of every path; empty for this machine.
    var root = ""

    /// Returns all facts except the answer of `bluetoothd`, which takes an asynchronous call.
    func facts() -> MachineFacts {
        var facts = MachineFacts()
        #if !os(Linux)
        facts.isLinux = false
        #endif
        facts.kernel = line("/proc/sys/kernel/osrelease") ?? ""
        facts.controllers = controllers()
        facts.hasKernelBluetooth = exists("/sys/module/bluetooth") || exists("/sys/class/bluetooth")
        facts.hasBluetoothModule = hasModule("bluetooth", kernel: facts.kernel)
        facts.driverlessHardware = driverlessHardware()
        facts.switches = switches()
        facts.firmwareProblems = firmwareProblems()
        facts.isBluetoothdInstalled = [
            "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd",
        ]
        .contains(where: exists)
        facts.bluetoothd = processes().first { $0.name == "bluetoothd" }?.identifier
        facts.hasBusSocket = exists("/run/dbus/system_bus_socket")
        facts.hasBusPolicy = ["/etc/dbus-1/system.d/bluetooth.conf", "/usr/share/dbus-1/system.d/bluetooth.conf"]
            .contains(where: exists)
        facts.holders = holders()
        readUser(into: &facts)
        facts.enclosure = enclosure()
        if root.isEmpty { facts.waitRequest = LoopWait.request }
        return facts
    }

    // MARK: Files

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }

    private func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    private func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: root + path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func line(_ path: String) -> String? {
        text(path)?.split(separator: "\n").first.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func link(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)
    }

    // MARK: Hardware and kernel

    private func controllers() -> [MachineFacts.Controller] {
        // The directory also lists connections, such as hci0:64.
        names("/sys/class/bluetooth").filter { $0.hasPrefix("hci") && Int($0.dropFirst(3)) != nil }.map { name in
            let driver = link("/sys/class/bluetooth/\(name)/device/driver").flatMap { $0.split(separator: "/").last }
            return MachineFacts.Controller(name: name, driver: driver.map(String.init))
        }
    }

    private func hasModule(_ name: String, kernel: String) -> Bool {
        ["/lib/modules/\(kernel)", "/usr/lib/modules/\(kernel)"].contains { directory in
            (text(directory + "/modules.dep") ?? "").contains("/\(name).ko")
                || (text(directory + "/modules.builtin") ?? "").contains("/\(name).ko")
        }
    }

    /// USB interfaces of the class Wireless Controller, RF, Bluetooth, without a driver.
    private func driverlessHardware() -> [String] {
        names("/sys/bus/usb/devices").filter { name in
            let path = "/sys/bus/usb/devices/\(name)"
            return line(path + "/bInterfaceClass") == "e0" && line(path + "/bInterfaceSubClass") == "01"
                && line(path + "/bInterfaceProtocol") == "01" && link(path + "/driver") == nil
        }.map { name in
            let device = name.split(separator: ":").first.map(String.init) ?? name
            return line("/sys/bus/usb/devices/\(device)/product") ?? "USB \(device)"
        }
    }

    private func switches() -> [MachineFacts.Switch] {
        names("/sys/class/rfkill").compactMap { entry in
            let path = "/sys/class/rfkill/\(entry)"
            guard line(path + "/type") == "bluetooth" else { return nil }
            return MachineFacts.Switch(
                name: line(path + "/name") ?? entry, isSoftBlocked: line(path + "/soft") == "1",
                isHardBlocked: line(path + "/hard") == "1")
        }
    }

    /// Nil if the log is not readable.
    private func firmwareProblems() -> [String]? {
        guard let log = kernelLog() else { return nil }
        return log.split(separator: "\n").map(String.init).filter { line in
            let words = line.lowercased()
            guard words.contains("bluetooth") else { return false }
            let isAboutFirmware = ["firmware", ".bin", ".hcd", ".sfi", "patch"].contains(where: words.contains)
            return isAboutFirmware && ["fail", "not found", "error -2", "missing"].contains(where: words.contains)
        }.map { line in
            // Records of the kernel's log device have the form "6,123,456,-;Bluetooth: hci0: ...".
            line.split(separator: ";", maxSplits: 1).last.map(String.init) ?? line
        }
    }

    private func kernelLog() -> String? {
        let descriptor = open(root + "/dev/kmsg", O_RDONLY | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 8192)
        // Each read returns one record, until none is left. EPIPE means that records were overwritten meanwhile. The
        // limit exceeds the number of records in a log.
        for _ in 0..<100_000 {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                text += String(decoding: buffer[..<count], as: UTF8.self)
            } else if count == 0 || errno != EPIPE {
                break
            }
        }
        return text
    }

    // MARK: Processes

    private func processes() -> [(name: String, identifier: Int)] {
        names("/proc").compactMap { name in
            guard let identifier = Int(name), let command = line("/proc/\(name)/comm") else { return nil }
            return (command, identifier)
        }
    }

    /// Processes other than `bluetoothd` with open HCI sockets, which may have taken a controller for exclusive use.
    private func holders() -> [MachineFacts.Holder] {
        let inodes = (text("/proc/net/hci") ?? "").split(separator: "\n").dropFirst().compactMap { line -> Substring? in
            let fields = line.split(separator: " ")
            return fields.count >= 6 ? fields[5] : nil
        }
        guard !inodes.isEmpty else { return [] }
        let sockets = Set(inodes.map { "socket:[\($0)]" })
        return processes().filter { process in
            process.name != "bluetoothd"
                && names("/proc/\(process.identifier)/fd").contains { descriptor in
                    link("/proc/\(process.identifier)/fd/\(descriptor)").map(sockets.contains) ?? false
                }
        }.map { MachineFacts.Holder(process: $0.name, identifier: $0.identifier) }
    }

    // MARK: The user

    private func readUser(into facts: inout MachineFacts) {
        let status = (text("/proc/self/status") ?? "").split(separator: "\n")
        func field(_ name: String) -> [Substring] {
            status.first { $0.hasPrefix(name + ":") }.map {
                Array($0.dropFirst(name.count + 1).split { $0 == "\t" || $0 == " " })
            } ?? []
        }
        let user = field("Uid").dropFirst().first.flatMap { Int($0) }
        facts.isRoot = user == 0
        let capabilities = field("CapEff").first.flatMap { UInt64($0, radix: 16) } ?? 0
        facts.mayAdministrateNetwork = capabilities & 1 << 12 != 0
        facts.user =
            entries("/etc/passwd").first { $0.count > 2 && Int($0[2]) == user }?[0] ?? user.map(String.init) ?? ""
        let numbers = Set(field("Groups").map(String.init))
        facts.groups = entries("/etc/group").filter { $0.count > 2 && numbers.contains($0[2]) }.map { $0[0] }
    }

    private func entries(_ path: String) -> [[String]] {
        (text(path) ?? "").split(separator: "\n").map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private func enclosure() -> MachineFacts.Enclosure? {
        if exists("/.dockerenv") { return .container("docker") }
        if exists("/run/.containerenv") { return .container("podman") }
        if let name = line("/run/systemd/container"), !name.isEmpty { return .container(name) }
        if (line("/proc/version") ?? "").lowercased().contains("microsoft") { return .windowsSubsystem }
        let isVirtual =
            (text("/proc/cpuinfo") ?? "").split(separator: "\n")
            .first { $0.hasPrefix("flags") }?.contains(" hypervisor") ?? false
        guard isVirtual else { return nil }
        return .virtualMachine(line("/sys/class/dmi/id/sys_vendor") ?? "unknown")
    }
}
