#if Programs
import Testing
@testable import WebServer

@Suite struct CompactTextTests {
    private func script(_ text: String) -> String { String(decoding: CompactText.script(text.utf8), as: UTF8.self) }
    private func style(_ text: String) -> String { String(decoding: CompactText.style(text.utf8), as: UTF8.self) }

    @Test func compactingScriptsKeepsStringsTemplatesAndExpressions() {
        #expect(
            script("const a = 'x  // y' ;\n\t// gone\n\tlet b = a / 2 ; /* gone\n */ c")
                == "const a='x  // y';let b=a/2;\nc")
        #expect(script("f(\n\ta,\n\tb\n)\ng()\n") == "f(a,b\n)\ng()\n")
        #expect(script("`a  b ${ f( 'c  d' ) + `e  ${ g }` } {  }`") == "`a  b ${f('c  d')+`e  ${g}`} {  }`")
        #expect(script("x = / [/'] +\" / .test( y )") == "x=/ [/'] +\" /.test(y)")
        #expect(script("return a + +b in c") == "return a+ +b in c")
        #expect(script("'it\\'s  ' + \"\\\\\"") == "'it\\'s  '+\"\\\\\"")
    }

    @Test func compactingStylesKeepsSelectorsAndStrings() {
        #expect(
            style("a > b :hover , c { color : red ; margin: 0 4px; }") == "a > b :hover,c{color :red;margin:0 4px;}")
        #expect(
            style("@media (max-width: 8px) { a::before { content: \"  ; \"; } }")
                == "@media (max-width:8px){a::before{content:\"  ; \";}}")
    }

    @Test func truncatedInputIsNotExtended() {
        for text in ["'a", "`a${", "/a[", "/*", "\\", "'\\", "`\\", "//"] {
            #expect(script(text).utf8.count <= text.utf8.count)
            #expect(style(text).utf8.count <= text.utf8.count)
        }
    }
}
#endif
