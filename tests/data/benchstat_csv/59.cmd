benchstat -format csv bad.txt
