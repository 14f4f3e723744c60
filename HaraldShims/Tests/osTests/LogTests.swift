import Foundation
import Logging
import OSLog
import Synchronization
import Testing
import os
import os.log

/// Records log messages.
final class Records: Sendable {
    static let shared = Records()
    private let lines = Mutex<[String]>([])

    init() {
        LoggingSystem.bootstrap { label in RecordingHandler(label: label, records: Records.shared) }
    }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func lines(of label: String) -> [String] {
        lines.withLock { $0 }.filter { $0.hasPrefix(label + " ") }.map { String($0.dropFirst(label.count + 1)) }
    }
}

struct RecordingHandler: LogHandler {
    let label: String
    let records: Records
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel = Logging.Logger.Level.debug

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        records.add("\(label) \(event.level) \(metadata["category"] ?? "-"): \(event.message)")
    }
}

@Suite struct LogTests {
    private let records = Records.shared

    /// The output of a logger with its own handler.
    private func logged(_ write: (os.Logger, OSLog) -> Void) -> [String] {
        let label = "test-\(UUID().uuidString)"
        let log = OSLog(subsystem: label, category: "tests")
        write(Logger(log), log)
        return records.lines(of: label)
    }

    @Test func levels() {
        let lines = logged { logger, log in
            logger.trace("a")
            logger.debug("b")
            logger.info("c")
            logger.notice("d")
            logger.log("e")
            logger.warning("f")
            logger.error("g")
            logger.critical("h")
            logger.fault("i")
            logger.log(level: .error, "j")
            #expect(log.isEnabled(type: .debug))
        }
        #expect(
            lines == [
                "debug tests: b", "info tests: c", "notice tests: d", "notice tests: e", "warning tests: f",
                "error tests: g", "critical tests: h", "critical tests: i", "error tests: j",
            ])
        #expect(!OSLog.disabled.isEnabled(type: .fault))
    }

    @Test func valuesWithTheirPrivacy() {
        let (name, secret) = ("Strap", "1234")
        let lines = logged { logger, _ in
            logger.info("\(name) \(name, privacy: .public) \(secret, privacy: .private) \(secret, privacy: .sensitive)")
            logger.info("\(secret, privacy: .private(mask: .hash))")
            logger.info("\(secret, privacy: .private(mask: .hash))")
            logger.info("\(UUID(), privacy: .private)")
        }
        #expect(lines[0] == "info tests: Strap Strap <private> <private>")
        #expect(lines[1] == lines[2] && lines[1].contains("mask.hash") && !lines[1].contains(secret))
        #expect(lines[3] == "info tests: <private>")
    }

    @Test func formats() {
        let (number, fraction, isOn) = (255, 1.25, true)
        let lines = logged { logger, _ in
            logger.info("\(number, format: .hex) \(number, format: .hex(explicitPrefix: true, uppercase: true))")
            logger.info(
                """
                \(number, format: .decimal(explicitPositiveSign: true, minDigits: 5)) \
                \(number, align: .right(columns: 5))|
                """
            )
            logger.info("\(fraction, format: .fixed(precision: 1)) \(fraction) \(isOn) \(isOn, format: .answer)")
            logger.info("\(UInt8(7)) \([1, 2]) \(Int.self) \("x", align: .left(columns: 3))|")
        }
        #expect(
            lines == [
                "info tests: ff 0xFF", "info tests: +00255   255|", "info tests: 1.2 1.250000 true yes",
                "info tests: 7 [1, 2] Int x  |",
            ])
    }

    /// A value costs nothing if its level is off.
    @Test func valuesOfALevelThatIsOffAreNotEvaluated() {
        let count = Mutex(0)
        func value() -> Int {
            count.withLock { count in
                count += 1; return count
            }
        }
        let lines = logged { logger, _ in
            logger.trace("\(value())")
            logger.info("\(value())")
        }
        #expect(lines == ["info tests: 1"])
    }

    @Test func formatsOfTheOldFunction() {
        let lines = logged { _, log in
            os_log("plain", log: log)
            os_log("%d of %{public}@, %.1f %% %x", log: log, type: .error, 3, "five" as NSString, 2.55, 255)
            os_log("%{private}@ and %{sensitive, mask.hash}d", log: log, type: .info, "secret" as NSString, 5)
            os_log(.debug, log: log, "%ld", 7)
            os_log("%@ %d", log: log, "one" as NSString)
            os_log("\(5, format: .hex) with a value", log: log, type: .fault)
            os_log(.info, log: log, "\(5) with a value")
        }
        #expect(
            lines == [
                "notice tests: plain", "error tests: 3 of five, 2.5 % ff", "info tests: <private> and <private>",
                "debug tests: 7", "notice tests: one <missing>", "critical tests: 5 with a value",
                "info tests: 5 with a value",
            ])
    }

    @Test func objectsInFormats() {
        let lines = logged { _, log in
            let error = NSError(domain: "domain", code: 5)
            os_log("%@, %{private}@", log: log, error, error)
            os_log("%@ and %@", log: log, NSData(data: Data([1])), ["a", "b"])
            os_log("%@", log: log, UUID(uuidString: "B0000000-1234-5678-9ABC-DEF012345678")! as NSUUID)
        }
        #expect(
            lines == [
                "notice tests: \(NSError(domain: "domain", code: 5)), <private>",
                "notice tests: <01> and [\"a\", \"b\"]", "notice tests: B0000000-1234-5678-9ABC-DEF012345678",
            ])
        #expect(String(format: "%@ %d", NSNumber(value: 2), 3) == "2 3")
    }

    /// They do not end the process.
    @Test func argumentsOfOtherTypesAndUnreasonableNumbers() {
        let lines = logged { logger, log in
            os_log("%s %s %d %f %p", log: log, 5, "text" as NSString, "text" as NSString, 1, 2)
            os_log("%n %y 100 %! of %d %", log: log, 5)
            os_log("%*d|%.*f", log: log, Int.min, 1, Int.max, 0.5)
            "text".withCString { os_log("%s", log: log, $0) }
            logger.info("\(1, format: .decimal(minDigits: .min), align: .right(columns: .min))")
            logger.info("\(0.5, format: .fixed(precision: .min)) \(1, align: .left(columns: 2))|")
        }
        #expect(lines[0] == "notice tests: 5 text text 1 2")
        #expect(lines[1] == "notice tests: %n %y 100 %! of 5 %")
        #expect(lines[2].hasPrefix("notice tests: 1   ") && lines[2].contains("|0.5000"))
        #expect(lines[3...] == ["notice tests: text", "info tests: 1", "info tests: 0 1 |"])
        let huge = logged { logger, _ in
            logger.info("\(1, format: .decimal(minDigits: .max), align: .left(columns: .max))")
            logger.info("\(0.5, format: .fixed(precision: .max))")
        }
        #expect(huge.allSatisfy { $0.count < 1100 })
    }
}
