// The functions of Swift's library that await a checked continuation. `runtime.c` replaces how a program awaits, but
// not how the library does. Here they are part of the program. `Scripts/sanitize.sh` links this file.

/// Replaces `withCheckedContinuation`.
@_silgen_name("$ss23withCheckedContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5NeverOGXEtYalF")
public func withCheckedContinuationOfProgram<Value>(
    isolation: isolated (any Actor)?, function: String, _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> Value {
    await withUnsafeContinuation { body(CheckedContinuation(continuation: $0, function: function)) }
}

/// Replaces `withCheckedThrowingContinuation`.
@_silgen_name("$ss31withCheckedThrowingContinuation9isolation8function_xScA_pSgYi_SSyScCyxs5Error_pGXEtYaKlF")
public func withCheckedThrowingContinuationOfProgram<Value>(
    isolation: isolated (any Actor)?, function: String, _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> Value {
    try await withUnsafeThrowingContinuation { body(CheckedContinuation(continuation: $0, function: function)) }
}
