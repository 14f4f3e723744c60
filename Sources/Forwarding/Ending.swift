/// Runs `body`, and then `end`, also if `body` has thrown an error. `end` must wait in a task of its own for what a
/// cancelled task does not do.
/// - Returns: the result of `body`.
/// - Throws: the error of `body`.
package func ending<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result, with end: () async -> Void
) async throws -> Result {
    let result: Result
    do {
        result = try await body()
    } catch {
        await end()
        throw error
    }
    await end()
    return result
}
