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
                resources.append(StaticResource(path: name, bytes: String(cString: file.pointee.bytes).utf8))
            } else {
                let bytes = UnsafeBufferPointer(start: file.pointee.bytes, count: size)
                resources.append(StaticResource(path: name, bytes: bytes))
            }
            file += 1
        }
        return resources
    }
}
