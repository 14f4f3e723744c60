import ArgumentParser
import Explorer
import Workbench

/// The options for the form in which values are shown.
struct ValueFormOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "Show values as numbers: u8, u16, i16be, u24, f32, sfloat, ...; several, separated by commas, are repeated "
                + "until the value ends; with --json, in the key 'as'.", valueName: "formats"))
    var columns: String?

    @Flag(help: "Write only the bytes, unchanged; 'tree' prints them in hexadecimal, without decoding.")
    var raw = false

    @Flag(help: "Show values in Base64; with --json, in the key 'base64'.")
    var base64 = false

    func validate() throws {
        guard [columns != nil, raw, base64].count(where: { $0 }) <= 1 else {
            throw ValidationError("--as, --raw and --base64 cannot be combined")
        }
        do throws(InputError) { _ = try form() } catch { throw ValidationError(error.message) }
    }

    /// Returns the chosen form.
    /// - Throws: ``InputError`` if a format of `--as` is unknown.
    func form() throws(InputError) -> ValueForm {
        if let columns { return .numbers(try NumberColumns(columns)) }
        return raw ? .raw : base64 ? .base64 : .decoded
    }
}
