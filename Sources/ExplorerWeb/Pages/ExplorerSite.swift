import CWebPages
import WebServer

/// The pages of `harald serve`.
package enum ExplorerSite {
    /// The pages: devices, SensorTags, the air, capture and log.
    package static var site: WebSite {
        WebSite(
            files: web_explorer_file_list(),
            paths: [
                "/", "/devices", "/devices/{id}", "/devices/{id}/{handle}", "/sensortags", "/sensortags/{id}", "/air",
                "/air/{id}", "/capture", "/bonds", "/log",
            ])
    }
}
