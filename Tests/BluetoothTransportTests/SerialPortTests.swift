import BluetoothRuntime
import Testing

@testable import BluetoothTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if os(Linux)
@Suite(.timeLimit(.minutes(2))) struct SerialPortTests {
    /// The far end of a pseudo terminal, and the name of the near one.
    private func makeTerminal() throws -> (Int32, String) {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(master >= 0)
        var unlocked: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN
        try #require(ioctl(master, 0x4004_5431, &unlocked) == 0)
        var number: UInt32 = 0
        try #require(ioctl(master, 0x8004_5430, &number) == 0)
        return (master, "/dev/pts/\(number)")
    }

    @Test func bytesAreTransmittedUnchanged() async throws {
        let (master, path) = try makeTerminal()
        let channel = try await TestChannel.open("serial:\(path),1000000")
        // Every byte value: nothing is translated, echoed or taken as a signal.
        let packet = Packets.event(0, length: 255)
        async let received = channel.events.packets(2)
        await blocking {
            _ = packet.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            _ = packet.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
        }
        #expect(await received == [packet, packet])
        await channel.send(packet)
        let sent = await blocking {
            var bytes = [UInt8](repeating: 0, count: packet.count)
            var count = 0
            while count < bytes.count {
                let got = bytes.withUnsafeMutableBytes {
                    read(master, $0.baseAddress.map { $0 + count }, $0.count - count)
                }
                guard got > 0 else { break }
                count += got
            }
            return bytes
        }
        #expect(sent == packet)

        var options = termios()
        #expect(tcgetattr(master, &options) == 0)
        #expect(cfgetospeed(&options) == speed_t(B1000000))
        #expect(options.c_cflag & tcflag_t(CRTSCTS) != 0)
        #expect(options.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))

        // Pulled out.
        SystemCall.close(master)
        guard case .some(let error) = await channel.events.end() else {
            Issue.record("no error")
            return
        }
        #expect("\(error)".contains(path))
    }

    @Test func flowControlCanBeDisabled() throws {
        let (master, path) = try makeTerminal()
        defer { SystemCall.close(master) }
        let port = try SerialPort.open(SerialSettings(path: path, baudRate: 115_200, flowControl: false))
        defer { SystemCall.close(port) }
        var options = termios()
        #expect(tcgetattr(port, &options) == 0)
        #expect(options.c_cflag & tcflag_t(CRTSCTS) == 0)
        #expect(cfgetispeed(&options) == speed_t(B115200))
    }

    @Test func everyListedBaudRateCanBeSet() throws {
        let (master, path) = try makeTerminal()
        defer { SystemCall.close(master) }
        for rate in SerialSettings.baudRates {
            SystemCall.close(try SerialPort.open(SerialSettings(path: path, baudRate: rate)))
        }
        #expect(throws: TransportError.self) { try SerialPort.open(SerialSettings(path: path, baudRate: 31_250)) }
    }

    @Test func errorsHaveARemedy() throws {
        let missing = #expect(throws: TransportError.self) {
            try SerialPort.open(SerialSettings(path: "/dev/ttyNONE7"))
        }
        #expect(missing.map { "\($0)".contains("plug it in") } == true)
        let wrong = #expect(throws: TransportError.self) { try SerialPort.open(SerialSettings(path: "/dev/null")) }
        #expect(wrong.map { "\($0)".contains("not a serial port") } == true)
        // Root has every permission, so the text is requested directly.
        #expect("\(SerialPort.failure(EACCES, opening: "/dev/ttyACM0"))".contains("dialout"))
        #expect("\(SerialPort.failure(EBUSY, opening: "/dev/ttyACM0"))".contains("another program"))
    }
}
#endif
