import Foundation
import TerminalScreen

/// QR codes (ISO/IEC 18004) by libqrencode, which is opened when it is needed.
enum QRCode {
    /// `QRcode_encodeString` of qrencode.h: (const char *, int version, QRecLevel, QRencodeMode, int casesensitive).
    private typealias Encode =
        @convention(c) (UnsafePointer<CChar>, CInt, CInt, CInt, CInt) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    private static let names = ["libqrencode.so.4", "libqrencode.4.dylib"]
    /// The light modules around the symbol (ISO/IEC 18004, 6.3.8).
    private static let margin = 4

    /// Returns the lines of a symbol on a terminal with colours and Unicode: a column is one module, a line is two.
    /// The colours are black on white, whatever those of the terminal are.
    /// - Returns: nil without libqrencode, or for a text that is too long.
    static func lines(of text: String) -> [String]? {
        let library = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
        guard let library, let encodeSymbol = dlsym(library, "QRcode_encodeString"),
            let freeSymbol = dlsym(library, "QRcode_free")
        else { return nil }
        // The declarations of both are unchanged since version 3; the name of the library has the version of its ABI.
        let (encode, free) = (
            unsafeBitCast(encodeSymbol, to: Encode.self), unsafeBitCast(freeSymbol, to: Free.self)
        )
        // The smallest version, error correction L (0), octets (2).
        guard let code = encode(text, 0, 0, 2, 1) else { return nil }
        defer { free(code) }
        // struct { int version; int width; unsigned char *data; }
        let width = Int(code.load(fromByteOffset: 4, as: CInt.self))
        let data = code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>.self)
        // The lowest bit of an octet is the colour of its module.
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && data[row * width + column] & 1 == 1
        }
        return stride(from: -margin, to: width + margin, by: 2).map { row in
            let blocks = (-margin..<width + margin).map { column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[38;5;16;48;5;231m\(blocks.joined())\u{1B}[m"
        }
    }

    /// Prints the symbol of a URL that a phone opens, or how to get one. Prints nothing into a pipe, and on a terminal
    /// on which a camera would not recognise it.
    static func show(_ url: String, _ caption: String) {
        guard Terminal.hasColours, Terminal.glyphs == .unicode else { return }
        guard let lines = lines(of: url) else {
            return Console.message("a QR code for phones needs libqrencode (Debian: apt install libqrencode4)")
        }
        // All lines are equally long.
        let columns = lines[0].filter { "█▀▄ ".contains($0) }.count
        guard columns <= Terminal.size.columns else { return }
        Console.line(caption + "\n" + lines.joined(separator: "\n"))
    }
}
