import BluetoothModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Opens and sets up serial ports.
enum SerialPort {
    /// Returns an exclusive descriptor of the port, set up for H4.
    static func open(_ settings: SerialSettings) throws(TransportError) -> Int32 {
        let path = settings.path
        #if canImport(Glibc)
        let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        #elseif canImport(Musl)
        let descriptor = Musl.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        #else
        let descriptor = Darwin.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        #endif
        guard descriptor >= 0 else { throw failure(errno, opening: path) }
        do throws(TransportError) {
            try configure(descriptor, settings)
            return descriptor
        } catch {
            SystemCall.close(descriptor)
            throw error
        }
    }

    private static func configure(_ descriptor: Int32, _ settings: SerialSettings) throws(TransportError) {
        let path = settings.path
        guard isatty(descriptor) == 1 else {
            throw .unsupported(adapter: "serial:\(path)", reason: "it is not a serial port; \(hint)")
        }
        guard let speed = speed(settings.baudRate) else {
            throw .unsupported(
                adapter: "serial:\(path)", reason: "this system does not support \(settings.baudRate) baud")
        }
        // No other program can open it from now on; a failure of this call is ignored.
        _ = ioctl(descriptor, UInt(TIOCEXCL))
        var options = termios()
        guard tcgetattr(descriptor, &options) == 0 else { throw failure(errno, opening: path) }
        cfmakeraw(&options)
        options.c_cflag &= ~tcflag_t(CSTOPB | PARENB | CSIZE)
        options.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
        let flowControl = tcflag_t(CRTSCTS)
        if settings.flowControl { options.c_cflag |= flowControl } else { options.c_cflag &= ~flowControl }
        // A read without data fails with EAGAIN, instead of looking like the end.
        withUnsafeMutableBytes(of: &options.c_cc) { codes in
            codes[Int(VMIN)] = 1
            codes[Int(VTIME)] = 0
        }
        guard cfsetispeed(&options, speed) == 0, cfsetospeed(&options, speed) == 0,
            tcsetattr(descriptor, TCSANOW, &options) == 0
        else {
            throw failure(errno, opening: path)
        }
        // Data received before is the rest of an unknown packet.
        tcflush(descriptor, TCIOFLUSH)
    }

    private static let hint =
        "serial ports have names such as /dev/ttyACM0 or /dev/ttyUSB0; 'ls /dev/serial/by-id' lists them"

    static func failure(_ code: Int32, opening path: String) -> TransportError {
        switch code {
        case ENOENT, ENXIO, ENODEV, ENOTDIR:
            .notFound("serial port \(path)", cure: "plug it in, or check the name: \(hint)")
        case EACCES, EPERM:
            .permissionDenied(
                "serial port \(path)",
                cure: "join the group that has access: 'sudo usermod -aG dialout $USER', then log out and in again")
        case EBUSY:
            .busy("serial port \(path)", cure: "another program uses it; 'sudo fuser -v \(path)' shows which")
        default: .system(operation: "open", target: path, code: code, reason: SystemCall.text(of: code))
        }
    }

    private static func speed(_ baudRate: Int) -> speed_t? {
        #if canImport(Darwin)
        // On this system a speed is the number itself.
        return speed_t(exactly: baudRate)
        #else
        let codes: [Int: Int] = [
            9600: Int(B9600), 19200: Int(B19200), 38400: Int(B38400), 57600: Int(B57600), 115_200: Int(B115200),
            230_400: Int(B230400), 460_800: Int(B460800), 500_000: Int(B500000), 576_000: Int(B576000),
            921_600: Int(B921600), 1_000_000: Int(B1000000), 1_152_000: Int(B1152000), 1_500_000: Int(B1500000),
            2_000_000: Int(B2000000), 2_500_000: Int(B2500000), 3_000_000: Int(B3000000), 3_500_000: Int(B3500000),
            4_000_000: Int(B4000000),
        ]
        return codes[baudRate].flatMap { speed_t(exactly: $0) }
        #endif
    }
}
