import BluetoothModel
import Foundation

/// LLVM's libFuzzer, which generates inputs and keeps those that reach new code.
enum LibFuzzer {
    /// Names the target where libFuzzer started the program.
    static let targetVariable = "HARALD_FUZZ_TARGET"

    #if HARALD_FUZZER
    // Set once, before the fuzzer begins, on the only thread: the C function that it calls has no context.
    nonisolated(unsafe) fileprivate static var target: FuzzTarget?

    private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    @_silgen_name("LLVMFuzzerRunDriver")
    private static func runDriver(
        _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<Arguments>,
        _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    /// Runs a target with options of libFuzzer, until it ends.
    static func run(_ target: FuzzTarget, options: [String]) throws -> Never {
        self.target = target
        // To merge and to make smaller it starts itself again, with nothing but its own options.
        setenv(targetVariable, target.name, 1)
        let all = [CommandLine.arguments[0], "-max_len=\(target.maximumLength)"] + options
        var count = Int32(all.count)
        var arguments = Arguments.allocate(capacity: all.count + 1)
        for (index, argument) in all.enumerated() { arguments[index] = strdup(argument) }
        arguments[all.count] = nil
        let status = runDriver(&count, &arguments, fuzzOneInput)
        exit(status)
    }
    #else
    /// There is no fuzzer in this build.
    static func run(_ target: FuzzTarget, options: [String]) throws {
        throw Finding("this build contains no fuzzer; 'make fuzz TARGET=\(target.name)' builds one")
    }
    #endif
}

#if HARALD_FUZZER
/// Takes one input of libFuzzer, which looks for this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(Finding) {
        try LibFuzzer.target?.run(ByteView(UnsafeRawBufferPointer(start: bytes, count: count)))
    } catch {
        FileHandle.standardError.write(Data("FINDING \(error)\n".utf8))
        abort()
    }
    return 0
}
#endif
