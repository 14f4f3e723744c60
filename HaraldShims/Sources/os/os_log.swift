import Foundation

/// Writes a message with a format and its arguments. `%{private}@` and `%{sensitive}@` are hidden.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: any CVarArg...
) { log.write(type.level) { LogFormat.text("\(message)", args) } }

/// Writes a message with a format and its arguments. `%{private}@` and `%{sensitive}@` are hidden.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) { log.write(type.level) { LogFormat.text("\(message)", args) } }

/// Writes a message with values in it.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage, log: OSLog = .default, type: OSLogType = .default) {
    log.write(type.level) { message.text }
}

/// Writes a message with values in it.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(type.level) { message.text }
}
