benchstat -format csv O=old.txt N=new.txt
