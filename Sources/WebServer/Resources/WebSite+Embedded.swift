import CWebPages

extension WebSite {
    /// Creates a site from files embedded in the executable, with the style sheets and modules that all sites share.
    ///
    /// - Parameters:
    ///   - files: a list of `CWebPages` that ends with a file without a path. `index.html` is the page.
    ///   - paths: the paths of pages.
    package init(files: UnsafePointer<web_file>, paths: [String]) {
        let own = Self.resources(files)
        let page = own.first { $0.path == "index.html" }.map { String(buffer: $0.bytes) } ?? ""
        let shared = Self.resources(web_shared_file_list())
        self.init(resources: own.filter { $0.path != "index.html" } + shared, page: page, paths: paths)
    }

    private static func resources(_ files: UnsafePointer<web_file>) -> [StaticResource] {
        var resources: [StaticResource] = []
        var file = files
        while let path = file.pointee.path {
            let (name, size) = (String(cString: path), file.pointee.size)
            if size == 0 {
                resources.append(
                    StaticResource(path: name, bytes: served(name, String(cString: file.pointee.bytes)).utf8))
            } else {
                let bytes = UnsafeBufferPointer(start: file.pointee.bytes, count: size)
                resources.append(StaticResource(path: name, bytes: bytes))
            }
            file += 1
        }
        return resources
    }

    /// A script or style as it is served: without indentation, and without lines that are comments.
    ///
    /// The lines keep their numbers, so that a browser's messages lead to the source.
    static func served(_ name: String, _ text: String) -> String {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
            let line = line.drop { $0 == "\t" }
            return line.hasPrefix("//") || line.hasPrefix("/*") && line.hasSuffix("*/") ? "" : line
        }.joined(separator: "\n")
    }
}
