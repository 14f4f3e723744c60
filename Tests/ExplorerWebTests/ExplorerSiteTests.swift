import ExplorerWeb
import Foundation
import Testing

@testable import WebServer

@Suite struct ExplorerSiteTests {
    private var scripts: [StaticResource] { ExplorerSite.site.resources.filter { $0.path.hasSuffix(".js") } }

    /// As they are, with comments; about 70 KB compressed.
    @Test func scriptsAndStylesAreSmall() {
        let all = ExplorerSite.site.resources.filter { !$0.path.hasSuffix(".svg") }
        #expect(all.count > 10)
        #expect(all.map(\.bytes.readableBytes).reduce(0, +) <= 180 * 1024)
    }

    /// A file that the list in `CWebPages` lacks is missing in the program only.
    @Test func everyFileOfThePagesIsListed() throws {
        let paths = Set(ExplorerSite.site.resources.map(\.path))
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/CWebPages")
        for (folder, prefix) in [("Explorer", "explorer"), ("Shared", "shared")] {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: root.appendingPathComponent(folder).path)
            for name in names where name != "index.html" { #expect(paths.contains("\(prefix)/\(name)"), "\(name)") }
        }
    }

    @Test func everyIconIsASymbol() throws {
        let icons = try #require(ExplorerSite.site.resources.first { $0.path == "shared/icons.svg" })
        let symbols = Set(String(buffer: icons.bytes).matches(of: /<symbol id="(\w+)"/).map { String($0.1) })
        for script in scripts {
            for match in String(buffer: script.bytes).matches(of: /icon\('(\w+)'/) {
                #expect(symbols.contains(String(match.1)), "\(script.path): \(match.1)")
            }
        }
        for match in ExplorerSite.site.page.matches(of: /icons\.svg#(\w+)/) {
            #expect(symbols.contains(String(match.1)), "\(match.1)")
        }
    }

    @Test func everyImportIsAFileOfTheSite() {
        let paths = Set(ExplorerSite.site.resources.map(\.path))
        for script in scripts {
            let directory = script.path.split(separator: "/").dropLast().joined(separator: "/")
            for match in String(buffer: script.bytes).matches(of: /(?:from|import)\s*'(\.[^']+)'/) {
                var parts = directory.split(separator: "/")
                for part in match.1.split(separator: "/") {
                    if part == ".." { parts.removeLast() } else if part != "." { parts.append(part) }
                }
                #expect(paths.contains(parts.joined(separator: "/")), "\(script.path) imports \(match.1)")
            }
        }
    }

    @Test func nothingParsesMarkup() {
        for script in scripts {
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "alert("] {
                #expect(!String(buffer: script.bytes).contains(word), "\(script.path) has \(word)")
            }
        }
    }

    @Test func thePageHasNoInlineScriptOrStyle() {
        let page = ExplorerSite.site.page
        #expect(page.contains("{{assets}}/explorer/app.js"))
        #expect(!page.contains("<style") && !page.contains("style=") && !page.contains(" on"))
        #expect(page.matches(of: /<script(?![^>]* src=)/).isEmpty)
    }
}
