#if os(Linux)
import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Opens the HCI user channel of Linux: a packet socket to a controller, which the kernel's own stack does not use
/// while it is open. ``PacketChannel`` transfers its packets.
///
/// The constants and the address are those of the kernel; the C library's headers do not have them.
enum HCIUserSocket {
    private static let family: Int32 = 31  // AF_BLUETOOTH
    private static let hciProtocol: Int32 = 1  // BTPROTO_HCI
    private static let userChannel: UInt16 = 1  // HCI_CHANNEL_USER
    /// Receive buffer in bytes, of which a short packet takes about 800 with the kernel's own data.
    private static let receiveRoom: Int32 = 2 << 20

    /// Returns a socket bound to adapter `index`, which must be down before and is up afterwards.
    static func open(index: UInt16) throws(TransportError) -> Int32 {
        guard let descriptor = SystemCall.socket(family: family, type: SystemCall.rawSocket, protocol: hciProtocol)
        else {
            throw failure(errno, index: index)
        }
        let code = address(index: index).bind(descriptor)
        guard code == 0 else {
            SystemCall.close(descriptor)
            throw failure(code, index: index)
        }
        // The kernel drops packets when the buffer is full; a process that may open this socket may also enlarge its
        // buffer.
        SystemCall.setOption(descriptor, level: SOL_SOCKET, name: SO_RCVBUFFORCE, value: receiveRoom)
        return descriptor
    }

    /// Returns a `struct sockaddr_hci`: family, device and channel, 16 bits each in native byte order.
    static func address(index: UInt16) -> SocketAddress {
        let fields = [UInt16(family), index, userChannel]
        return SocketAddress(family: family, bytes: fields.withUnsafeBytes { [UInt8]($0) })
    }

    /// Returns the error for an `errno` of opening, with the remedy.
    static func failure(_ code: Int32, index: UInt16) -> TransportError {
        let name = "adapter hci\(index)"
        switch code {
        case EPERM, EACCES:
            return .permissionDenied(
                name,
                cure: "a user channel requires CAP_NET_ADMIN: 'sudo setcap cap_net_admin,cap_net_raw+ep PROGRAM', "
                    + "or run the program as root")
        case EBUSY:
            return .busy(
                name,
                cure: "a user channel requires an adapter that is down: 'sudo btmgmt -i hci\(index) power off' or "
                    + "'sudo hciconfig hci\(index) down'; if it comes up again, 'sudo systemctl stop bluetooth'; "
                    + "'harald doctor' lists other programs that may hold it")
        case EUSERS:
            return .busy(name, cure: "another program holds its user channel; stop that program")
        case ENODEV, ENXIO:
            return .notFound(name, cure: "plug the adapter in; 'ls /sys/class/bluetooth' lists the adapters")
        case ERFKILL:
            return .radioBlocked(name, cure: "'sudo rfkill unblock bluetooth', or use the switch of the machine")
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
            return .unsupported(
                adapter: "hci:\(index)",
                reason:
                    "this kernel has no Bluetooth, or a container hides it: 'sudo modprobe bluetooth' loads it, and "
                    + "a container needs the host's network ('--net=host'); without hardware use 'virtual:'")
        case ETIMEDOUT, EIO:
            return .unreachable(name, reason: "it does not respond; unplug it, plug it in and try again")
        default:
            return .system(operation: "open", target: name, code: code, reason: SystemCall.text(of: code))
        }
    }

    /// Returns the error for an `errno` of a transfer that differs from other sockets: the adapter was removed.
    static func transferFailure(_ code: Int32, index: UInt16) -> TransportError? {
        switch code {
        case EPIPE, ENODEV, ENXIO, EBADFD:
            .notFound("adapter hci\(index)", cure: "it was unplugged or switched off; plug it in and try again")
        default: nil
        }
    }
}
#endif
